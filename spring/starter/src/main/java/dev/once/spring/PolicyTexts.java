package dev.once.spring;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.NearestWord;
import dev.once.http.semantics.PolicyValue;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * What properties say of one policy: texts by their names, as {@link PolicyValue} reads them. What
 * is not said stays as the profile, or the base, has it.
 *
 * @param prefix where they stand, for messages: {@code once.}
 * @param environment knows which file and line they come from
 */
record PolicyTexts(String prefix, Map<String, String> texts, Environment environment) {

  private static final String PROFILE = "profile";
  private static final String MATCH = "match";

  /** Which requests a route is about; null if it does not say. */
  @Nullable String match() {
    return text(MATCH);
  }

  /**
   * The policy that these values make of another.
   *
   * @throws OnceConfigurationException if a name is not known, or a value does not fit
   */
  HttpPolicy over(HttpPolicy base) {
    HttpPolicy start = base;
    String profile = text(PROFILE);
    if (profile != null) {
      try {
        // It says how keys are treated, not whether, and nothing about the application's paths.
        start =
            HttpProfile.named(profile)
                .policy()
                .with(p -> p.enabled(base.enabled()).ignoreCase(base.ignoreCase()));
      } catch (IllegalArgumentException e) {
        throw badValue(PROFILE, e);
      }
    }
    Map<PolicyValue, String> values = values();
    return values.isEmpty()
        ? start
        : PolicyValue.setAll(
            start,
            values,
            (value, why) -> {
              throw badValue(value.label(), why);
            });
  }

  private Map<PolicyValue, String> values() {
    if (texts.keySet().stream().allMatch(name -> isNamed(name, PROFILE) || isNamed(name, MATCH))) {
      return Map.of(); // and the table of all values is not loaded
    }
    Map<PolicyValue, String> values = new EnumMap<>(PolicyValue.class);
    texts.forEach(
        (name, text) -> {
          if (!isNamed(name, PROFILE) && !isNamed(name, MATCH)) {
            // A list comes as methods.0, methods.1 and so on.
            values.merge(value(name), text, (list, more) -> list + ", " + more);
          }
        });
    return values;
  }

  private PolicyValue value(String name) {
    Optional<PolicyValue> value =
        Stream.of(PolicyValue.values()).filter(one -> isNamed(name, one.label())).findFirst();
    return value.orElseThrow(
        () -> {
          List<String> known =
              Stream.concat(
                      Stream.of(MATCH, PROFILE),
                      Stream.of(PolicyValue.values()).map(PolicyValue::label))
                  .toList();
          return new OnceConfigurationException(
              prefix
                  + name
                  + ": "
                  + NearestWord.unknown(name, known, "match, profile or a value such as retention"),
              "Change the name, or remove it: what is not known would protect nothing."
                  + origin(name));
        });
  }

  private @Nullable String text(String label) {
    for (Map.Entry<String, String> text : texts.entrySet()) {
      if (isNamed(text.getKey(), label)) {
        return text.getValue();
      }
    }
    return null;
  }

  /** By Boot's rules: {@code onBusy}, {@code ON_BUSY} and {@code on.busy} are {@code on-busy}. */
  private static boolean isNamed(String name, String label) {
    String plain = name.replaceFirst("\\.\\d+$", "").replaceAll("[-_.]", "");
    return plain.toLowerCase(Locale.ROOT).equals(label.replace("-", ""));
  }

  private OnceConfigurationException badValue(String label, IllegalArgumentException cause) {
    return OnceConfigurationException.badValue(prefix, cause, origin(label));
  }

  /** A sentence that says where a value is set; empty if that is not known. */
  String origin(String name) {
    return PropertyOrigin.describe(environment, prefix + name);
  }
}
