package dev.once.http.gateway.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** Collects all errors, so that they can be reported together, in the order of their places. */
final class ConfigurationErrors {

  /** What a terminal would obey, or would show in another place. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]");

  private record ConfigurationError(Origin origin, String text) {}

  private final List<ConfigurationError> all = new ArrayList<>();

  void add(GivenValue given, String error) {
    add(given.origin(), given.label(), error);
  }

  void add(Origin origin, String label, String error) {
    addLine(origin, origin.describeError(label, error));
  }

  /** One that is about no setting. */
  void addLine(Origin origin, String line) {
    all.add(new ConfigurationError(origin, UNPRINTABLE.matcher(line).replaceAll("?")));
  }

  void throwIfAny() {
    if (!all.isEmpty()) {
      throw new ConfigurationException(
          all.stream()
              .sorted(
                  Comparator.comparing((ConfigurationError c) -> c.origin().kind())
                      .thenComparing(c -> c.origin().line()))
              .map(ConfigurationError::text)
              .distinct()
              .toList());
    }
  }
}
