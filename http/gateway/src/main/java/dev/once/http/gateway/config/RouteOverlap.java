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

  /**
   * Matches the second's segments, stars and all, as if they were those of a path: a {@code **}
   * takes one more where the rest does not fit, and only the last one needs to.
   */
  private static boolean covers(List<String> first, List<String> second) {
    int at = 0;
    int secondAt = 0;
    int last = -1;
    int taken = 0;
    while (secondAt < second.size()) {
      if (isAnyNumber(first, at)) {
        last = at++;
        taken = secondAt;
      } else if (at < first.size() && coversSegment(first.get(at), second.get(secondAt))) {
        at++;
        secondAt++;
      } else if (last >= 0) {
        at = last + 1;
        secondAt = ++taken;
      } else {
        return false;
      }
    }
    while (isAnyNumber(first, at)) {
      at++;
    }
    return at == first.size();
  }

  private static boolean isAnyNumber(List<String> segments, int at) {
    return at < segments.size() && segments.get(at).equals(ANY_NUMBER);
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
