package dev.once.http.gateway.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** All that is wrong, so that it can be told at once and in the order of the places. */
final class Complaints {

  /** What a terminal would obey, or would show in another place. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]");

  private record Complaint(Origin origin, String text) {}

  private final List<Complaint> all = new ArrayList<>();

  void add(Given given, String complaint) {
    add(given.origin(), given.label(), complaint);
  }

  void add(Origin origin, String label, String complaint) {
    addWhole(origin, origin.complain(label, complaint));
  }

  /** One that is about no setting. */
  void addWhole(Origin origin, String line) {
    all.add(new Complaint(origin, UNPRINTABLE.matcher(line).replaceAll("?")));
  }

  void throwIfAny() {
    if (!all.isEmpty()) {
      throw new ConfigurationException(
          all.stream()
              .sorted(
                  Comparator.comparing((Complaint c) -> c.origin().kind())
                      .thenComparing(c -> c.origin().line()))
              .map(Complaint::text)
              .distinct()
              .toList());
    }
  }
}
