package dev.once.http.conformance.wire;

import dev.once.http.conformance.TargetException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Text that came from a server, made safe for terminals, XML and one line. */
public final class Text {

  private static final int LONGEST = 200;

  private Text() {}

  static String of(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** One line, without control characters: an answer must not paint the reader's terminal. */
  public static String printable(String text) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(LONGEST + 1L)
        .forEach(c -> line.appendCodePoint(isPrintable(c) ? c : ' '));
    if (line.codePointCount(0, line.length()) > LONGEST) {
      line.setLength(line.offsetByCodePoints(0, LONGEST));
      line.append("…");
    }
    return line.toString().strip();
  }

  /** What XML 1.0 allows and a terminal shows. */
  private static boolean isPrintable(int c) {
    boolean character = c < 0xD800 || (c > 0xDFFF && (c & 0xFFFE) != 0xFFFE);
    return character
        && !Character.isISOControl(c)
        && Character.getType(c) != Character.FORMAT
        && Character.getType(c) != Character.LINE_SEPARATOR
        && Character.getType(c) != Character.PARAGRAPH_SEPARATOR;
  }

  /** The word that a flag uses for a constant: {@code NOT_OBSERVED} is {@code not-observed}. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The constant that a flag's word stands for. */
  public static <E extends Enum<E>> E constant(String option, Class<E> type, String word) {
    StringBuilder known = new StringBuilder();
    for (E constant : type.getEnumConstants()) {
      if (word(constant).equals(word)) {
        return constant;
      }
      known.append(known.isEmpty() ? "" : ", ").append(word(constant));
    }
    throw new TargetException(option, word, "one of " + known);
  }
}
