package dev.once.http.gateway.config;

import dev.once.http.semantics.RoutePattern;
import java.util.List;

/** Whether a route can ever be reached behind another. */
final class RouteOverlap {

  private static final String ANY_NUMBER = "**";

  private RouteOverlap() {}

  /**
   * Whether the first matches all that the second does. A yes is certain; a no is not, where a
   * pattern has several stars.
   */
  static boolean covers(RoutePattern first, RoutePattern second) {
    boolean allMethods =
        first.methods().isEmpty()
            || (!second.methods().isEmpty() && first.methods().containsAll(second.methods()));
    return allMethods && covers(first.segments(), second.segments());
  }

  /** Matches the second's segments, stars and all, as if they were those of a path. */
  private static boolean covers(List<String> first, List<String> second) {
    if (first.isEmpty()) {
      return second.isEmpty();
    }
    String head = first.get(0);
    List<String> rest = first.subList(1, first.size());
    if (head.equals(ANY_NUMBER)) {
      return covers(rest, second)
          || (!second.isEmpty() && covers(first, second.subList(1, second.size())));
    }
    return !second.isEmpty()
        && coversSegment(head, second.get(0))
        && covers(rest, second.subList(1, second.size()));
  }

  private static boolean coversSegment(String first, String second) {
    int star = first.indexOf('*');
    if (second.equals(ANY_NUMBER) || star < 0) {
      return first.equals(second);
    }
    return second.length() >= first.length() - 1
        && second.startsWith(first.substring(0, star))
        && second.endsWith(first.substring(star + 1));
  }
}
