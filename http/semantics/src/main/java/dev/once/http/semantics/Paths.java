package dev.once.http.semantics;

import java.util.ArrayList;
import java.util.List;

/**
 * Paths as routes see them. What many servers take for the same path is the same here: escapes are
 * decoded, empty and dot segments are gone. The request goes on as it was sent; {@link
 * StrictRoutes} refuses those that a server could take for something else.
 */
final class Paths {

  private Paths() {}

  static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    int start = 0;
    while (start <= path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      add(segments, decode(path.substring(start, end)));
      start = end + 1;
    }
    return segments;
  }

  private static void add(List<String> segments, String segment) {
    if (segment.equals("..")) {
      if (!segments.isEmpty()) {
        segments.remove(segments.size() - 1);
      }
    } else if (!segment.isEmpty() && !segment.equals(".")) {
      segments.add(segment);
    }
  }

  private static String decode(String segment) {
    int semicolon = segment.indexOf(';'); // path parameters, which servlet containers drop
    return Escapes.decode(semicolon < 0 ? segment : segment.substring(0, semicolon), false, false);
  }
}
