package dev.once.http.gateway.config;

import dev.once.http.semantics.NearestWord;
import java.util.List;
import java.util.Map;

/** What the flags give. */
final class FlagLayer {

  private FlagLayer() {}

  static Layer read(Map<String, List<String>> flags, ConfigurationErrors errors) {
    Layer layer = new Layer();
    flags.forEach(
        (label, texts) -> {
          GivenValue given = new GivenValue(label, String.join(",", texts), Origin.flag(label));
          if (!SettingNames.ALL.contains(label)) {
            errors.add(given, unknown(label));
          } else if (texts.size() > 1 && !SettingNames.isList(label)) {
            errors.add(given, "given " + texts.size() + " times (expected: once)");
          } else {
            GivenValue other = layer.add(given);
            if (other != null) {
              errors.add(given, "is the same as " + other.origin() + " (expected: one of them)");
            }
          }
        });
    return layer;
  }

  private static String unknown(String label) {
    List<String> known = SettingNames.ALL.stream().map(l -> "--" + l).toList();
    return NearestWord.unknown("--" + label, known, "a setting such as --upstream or --retention");
  }
}
