package dev.once.http.semantics;

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
    return (methods.isEmpty() || methods.contains(method)) && matches(0, path, 0);
  }

  private boolean matches(int at, List<String> path, int pathAt) {
    if (at == segments.size()) {
      return pathAt == path.size();
    }
    String pattern = segments.get(at);
    if (pattern.equals("**")) {
      // Any number of segments; patterns are the operator's, and few have two of these.
      for (int rest = pathAt; rest <= path.size(); rest++) {
        if (matches(at + 1, path, rest)) {
          return true;
        }
      }
      return false;
    }
    return pathAt < path.size()
        && fits(pattern, path.get(pathAt))
        && matches(at + 1, path, pathAt + 1);
  }

  private static boolean fits(String pattern, String segment) {
    int star = pattern.indexOf('*');
    if (star < 0) {
      return pattern.equals(segment);
    }
    String before = pattern.substring(0, star);
    String after = pattern.substring(star + 1);
    return segment.length() >= before.length() + after.length()
        && segment.startsWith(before)
        && segment.endsWith(after);
  }

  @Override
  public String toString() {
    return (methods.isEmpty() ? "*" : String.join(",", methods))
        + " /"
        + String.join("/", segments);
  }
}
