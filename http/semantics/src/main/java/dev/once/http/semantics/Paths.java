package dev.once.http.semantics;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Paths as routes see them. What many servers take for the same path is the same here: escapes are
 * decoded, empty and dot segments are gone. A client cannot leave a route by spelling it otherwise.
 * The request goes on as it was sent.
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
    String name = semicolon < 0 ? segment : segment.substring(0, semicolon);
    if (name.indexOf('%') < 0) {
      return name;
    }
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(name.length());
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      int high = bytes[i] == '%' && i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
      if (low >= 0) {
        decoded.write(high * 16 + low);
        i += 2;
      } else {
        decoded.write(bytes[i]);
      }
    }
    return decoded.toString(StandardCharsets.UTF_8);
  }
}
