package dev.once.http.semantics;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which servers may read one path. Most paths have one; where servers differ there is
 * one for each {@link Choice}. What no client has a reason to send is an error.
 *
 * @param readings the segments in each way; at least one, if there is no error
 * @param error why the path is refused whatever the rules say; null if it is not
 */
record PathReadings(List<List<String>> readings, @Nullable String error) {

  /** Two to the power of it is how often a path is judged. */
  private static final int MAX_CHOICES = 4;

  /** Of a path that is judged more than once. */
  private static final int MAX_SEGMENTS = 256;

  /** What some servers do to a path, and others do not. */
  enum Choice {
    /** {@code /a;v=1} is {@code /a}. */
    DROP_PARAMETERS,
    /** {@code /a%2Fb} and {@code /a%5Cb} are {@code /a/b}. */
    SPLIT_AT_ESCAPED_SLASHES,
    /** {@code /%61} is not {@code /a}. */
    KEEP_NEEDLESS_ESCAPES,
    /** {@code /%2561} is {@code /a}. */
    DECODE_TWICE,
    /** {@code /a//b} is {@code /a/b}. */
    MERGE_SLASHES,
    /** {@code //a/b} is {@code /b}, on a host {@code a}. */
    DROP_AUTHORITY,
    /** {@code /a%3Fb} is {@code /a}, with a query. */
    CUT_AT_ESCAPED_QUERY,
    /** {@code /%E9} is {@code /é}. */
    LATIN_1
  }

  /**
   * @param matter whether anything depends on the readings; if not, and there are very many, one
   *     stands for all, with every piece that could be a segment in any of them
   */
  static PathReadings of(String path, boolean matter) {
    if (Escapes.hasOverlong(path)) {
      return refused("The path has bytes that are not UTF-8.");
    }
    List<Choice> open = List.copyOf(openChoices(path));
    if (open.size() > MAX_CHOICES) {
      return matter
          ? refused("Servers read this path in too many ways.")
          : of(List.of(split(path)));
    }
    Set<List<String>> readings = new LinkedHashSet<>();
    for (int choices = 0; choices < (1 << open.size()); choices++) {
      EnumSet<Choice> taken = EnumSet.noneOf(Choice.class);
      for (int i = 0; i < open.size(); i++) {
        if ((choices & (1 << i)) != 0) {
          taken.add(open.get(i));
        }
      }
      readings.add(Segments.read(path, taken));
    }
    if (matter && readings.size() > 1 && isLong(readings)) {
      return refused("Servers read this path in several ways, and it is too long to try them.");
    }
    return of(new ArrayList<>(readings));
  }

  private static boolean isLong(Set<List<String>> readings) {
    return readings.stream().anyMatch(reading -> reading.size() > MAX_SEGMENTS);
  }

  private static List<String> split(String path) {
    String decoded = Escapes.decode(Escapes.decode(path, false, false), false, false);
    return List.of(decoded.split("[/\\\\;?#]"));
  }

  /** The usual case: there is one reading, and no error. */
  static boolean isPlain(String path) {
    return path.indexOf('%') < 0
        && path.indexOf(';') < 0
        && !path.contains("//")
        && !path.contains("/.");
  }

  private static PathReadings of(List<List<String>> readings) {
    for (List<String> reading : readings) {
      for (String segment : reading) {
        if (segment.equals(".") || segment.equals("..")) {
          return refused("The path has dot segments; a client resolves them before it sends.");
        }
        if (hasControl(segment)) {
          return refused("The path has control characters.");
        }
      }
    }
    return new PathReadings(readings, null);
  }

  private static boolean hasControl(String segment) {
    for (int i = 0; i < segment.length(); i++) {
      if (segment.charAt(i) < ' ' || segment.charAt(i) == 0x7f) {
        return true;
      }
    }
    return false;
  }

  private static PathReadings refused(String error) {
    return new PathReadings(List.of(), error);
  }

  private static Set<Choice> openChoices(String path) {
    EnumSet<Choice> open = EnumSet.noneOf(Choice.class);
    note(path, open);
    if (path.contains("//")) {
      open.add(Choice.MERGE_SLASHES);
    }
    if (path.startsWith("//")) {
      open.add(Choice.DROP_AUTHORITY);
    }
    if (!Escapes.isUtf8(path)) {
      open.add(Choice.LATIN_1);
    }
    if (open.contains(Choice.DECODE_TWICE)) {
      note(Escapes.decode(path, false, false), open);
    }
    return open;
  }

  private static void note(String path, Set<Choice> open) {
    if (path.indexOf(';') >= 0) {
      open.add(Choice.DROP_PARAMETERS);
    }
    for (int i = path.indexOf('%'); i >= 0; i = path.indexOf('%', i + 1)) {
      int escaped = Escapes.byteAt(path, i);
      if (escaped == ';') {
        open.add(Choice.DROP_PARAMETERS);
      } else if (escaped == '/' || escaped == '\\') {
        open.add(Choice.SPLIT_AT_ESCAPED_SLASHES);
      } else if (escaped == '%') {
        open.add(Choice.DECODE_TWICE);
      } else if (escaped == '?' || escaped == '#') {
        open.add(Choice.CUT_AT_ESCAPED_QUERY);
      }
      if (Escapes.isNeedless(escaped)) {
        open.add(Choice.KEEP_NEEDLESS_ESCAPES);
      }
    }
  }
}
