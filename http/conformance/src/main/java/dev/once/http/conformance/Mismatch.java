package dev.once.http.conformance;

import java.util.Set;
import java.util.TreeSet;

/**
 * What the server answers to a key that comes again with another payload.
 *
 * @param statuses the statuses of the refusal; none where key and payload together are the identity
 *     of an operation, so that another payload is another operation
 */
public record Mismatch(Set<Integer> statuses) {

  /** What the draft names. */
  public static final Mismatch DRAFT = new Mismatch(Set.of(422));

  /** Another payload is another operation. */
  public static final Mismatch EXECUTED = new Mismatch(Set.of());

  public Mismatch {
    statuses = Set.copyOf(statuses);
  }

  /** Reads {@code executed}, or statuses such as {@code 422} or {@code 400,422}. */
  public static Mismatch parse(String text) {
    return text.equals("executed") ? EXECUTED : new Mismatch(statuses("mismatch", text));
  }

  /** Whether another payload is another operation. */
  public boolean executed() {
    return statuses.isEmpty();
  }

  static Set<Integer> statuses(String option, String text) {
    Set<Integer> statuses = new TreeSet<>();
    for (String part : text.split(",", -1)) {
      if (!part.strip().matches("4\\d\\d")) {
        throw new TargetException(option, text, "statuses from 400 to 499, with commas");
      }
      statuses.add(Integer.valueOf(part.strip()));
    }
    return statuses;
  }
}
