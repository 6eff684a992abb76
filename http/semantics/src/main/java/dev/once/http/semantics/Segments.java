package dev.once.http.semantics;

import dev.once.http.semantics.PathReadings.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A path as a server may read it that does some of what servers do. */
final class Segments {

  private final Set<Choice> choices;
  private final List<String> segments = new ArrayList<>();
  private boolean truncated;

  private Segments(Set<Choice> choices) {
    this.choices = choices;
  }

  /** The segments, decoded. A slash at the end makes no other path here. */
  static List<String> read(String path, Set<Choice> choices) {
    Segments reading = new Segments(choices);
    int start = 1;
    if (choices.contains(Choice.DROP_AUTHORITY)) {
      int slash = path.indexOf('/', 2);
      start = slash < 0 ? path.length() : slash + 1;
    }
    while (start <= path.length() && !reading.truncated) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      reading.segment(path.substring(start, end));
      start = end + 1;
    }
    return reading.end();
  }

  private void segment(String raw) {
    boolean drop = choices.contains(Choice.DROP_PARAMETERS);
    String text =
        Escapes.decode(
            drop ? before(raw, ';') : raw,
            choices.contains(Choice.KEEP_NEEDLESS_ESCAPES),
            choices.contains(Choice.LATIN_1));
    if (choices.contains(Choice.DECODE_TWICE)) {
      text = Escapes.decode(text, false, false);
    }
    if (choices.contains(Choice.CUT_AT_ESCAPED_QUERY)) {
      String kept = before(before(text, '?'), '#');
      truncated = kept.length() < text.length();
      text = kept;
    }
    boolean split = choices.contains(Choice.SPLIT_AT_ESCAPED_SLASHES);
    for (String part : split ? text.split("[/\\\\]", -1) : new String[] {text}) {
      add(drop ? before(part, ';') : part);
    }
  }

  private void add(String segment) {
    if (!segment.isEmpty() || !choices.contains(Choice.MERGE_SLASHES)) {
      segments.add(segment);
    }
  }

  private List<String> end() {
    int last = segments.size() - 1;
    if (last >= 0 && segments.get(last).isEmpty()) {
      segments.remove(last);
    }
    return segments;
  }

  private static String before(String text, char mark) {
    int at = text.indexOf(mark);
    return at < 0 ? text : text.substring(0, at);
  }
}
