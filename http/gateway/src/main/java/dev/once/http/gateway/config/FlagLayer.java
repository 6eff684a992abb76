package dev.once.http.gateway.config;

import dev.once.http.semantics.NearestWord;
import java.util.List;
import java.util.Map;

/** What the flags give. */
final class FlagLayer {

  private FlagLayer() {}

  static Layer read(Map<String, List<String>> flags, Complaints complaints) {
    Layer layer = new Layer();
    flags.forEach(
        (label, texts) -> {
          Given given = new Given(label, String.join(",", texts), Origin.flag(label));
          if (!Labels.ALL.contains(label)) {
            complaints.add(given, unknown(label));
          } else if (texts.size() > 1 && !Labels.isList(label)) {
            complaints.add(given, "given " + texts.size() + " times (expected: once)");
          } else {
            Given other = layer.add(given);
            if (other != null) {
              complaints.add(
                  given, "is the same as " + other.origin() + " (expected: one of them)");
            }
          }
        });
    return layer;
  }

  private static String unknown(String label) {
    List<String> known = Labels.ALL.stream().map(l -> "--" + l).toList();
    return NearestWord.unknown("--" + label, known, "a setting such as --upstream or --retention");
  }
}
