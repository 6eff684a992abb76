package dev.once.http.semantics;

import dev.once.http.semantics.text.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Which requests a route is about: {@code POST /payments/**}, {@code /refunds} (any method), {@code
 * PUT,PATCH /orders/*}. A {@code *} is one segment, or a part of one; {@code **} is any number of
 * segments, none included.
 *
 * @param methods empty for any
 */
public record RoutePattern(List<String> methods, List<String> segments) {

  public static RoutePattern parse(String text) {
    String[] words = text.strip().split("\\s+", -1);
    String path = words[words.length - 1];
    if (words.length > 2 || !path.startsWith("/") || path.indexOf('?') >= 0) {
      throw wrong(text);
    }
    List<String> methods = List.of();
    if (words.length == 2 && !words[0].equals("*")) {
      methods =
          Arrays.stream(words[0].split(",", -1)).map(m -> m.toUpperCase(Locale.ROOT)).toList();
      if (!methods.stream().allMatch(Tokens::isToken)) {
        throw wrong(text);
      }
    }
    List<String> segments = Paths.segments(path);
    if (!segments.stream().allMatch(s -> s.equals("**") || s.indexOf('*') == s.lastIndexOf('*'))) {
      throw wrong(text);
    }
    return new RoutePattern(methods, segments);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "route: '" + text + "' (expected: such as POST /payments/** or /refunds/*)");
  }

  boolean matches(String method, List<String> path) {
    return matches(method, path, false);
  }

  boolean matches(String method, List<String> path, boolean ignoreCase) {
    return (methods.isEmpty() || methods.contains(method)) && matches(path, ignoreCase);
  }

  /**
   * A {@code **} takes no segment at first. Where the path does not fit behind it, it takes one
   * more; those before it need not: what they could give away, the last one can take. So no segment
   * is looked at more often than the pattern is long.
   */
  private boolean matches(List<String> path, boolean ignoreCase) {
    int at = 0;
    int pathAt = 0;
    int last = -1; // the last **, and the first segment that it does not take
    int taken = 0;
    while (pathAt < path.size()) {
      if (isAnyNumber(at)) {
        last = at++;
        taken = pathAt;
      } else if (at < segments.size() && fits(segments.get(at), path.get(pathAt), ignoreCase)) {
        at++;
        pathAt++;
      } else if (last >= 0) {
        at = last + 1;
        pathAt = ++taken;
      } else {
        return false;
      }
    }
    while (isAnyNumber(at)) {
      at++;
    }
    return at == segments.size();
  }

  private boolean isAnyNumber(int at) {
    return at < segments.size() && segments.get(at).equals("**");
  }

  private static boolean fits(String pattern, String segment, boolean ignoreCase) {
    int star = pattern.indexOf('*');
    if (star < 0) {
      return ignoreCase ? pattern.equalsIgnoreCase(segment) : pattern.equals(segment);
    }
    int after = pattern.length() - star - 1;
    return segment.length() >= star + after
        && segment.regionMatches(ignoreCase, 0, pattern, 0, star)
        && segment.regionMatches(ignoreCase, segment.length() - after, pattern, star + 1, after);
  }

  @Override
  public String toString() {
    return (methods.isEmpty() ? "*" : String.join(",", methods))
        + " /"
        + String.join("/", segments);
  }
}
