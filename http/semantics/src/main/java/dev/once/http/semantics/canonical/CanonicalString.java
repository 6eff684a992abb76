package dev.once.http.semantics.canonical;

import static dev.once.http.semantics.canonical.CanonicalJson.NONE;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Strings of JSON: escaped only where they must be. Runs of bytes without escapes are copied; after
 * each escape a new run begins.
 */
final class CanonicalString {

  /** The escapes of two characters, and what they stand for, in the same order. */
  private static final String LETTERS = "\"\\bfnrt";

  private static final String MEANINGS = "\"\\\b\f\n\r\t";

  private CanonicalString() {}

  /**
   * Writes the string that begins here with its quotation mark.
   *
   * @return where it ended, or {@link CanonicalJson#NONE}
   */
  static int write(byte[] input, int start, CanonicalOutput output) {
    output.add('"');
    int at = start + 1;
    while (true) {
      at = output.addPlain(input, at);
      byte special = input[at];
      if (special == '"') {
        output.add('"');
        return at + 1;
      } else if (special == '\\') {
        at = escape(input, at + 1, output);
        if (at == NONE) {
          return NONE;
        }
      } else {
        int length = special < 0 ? Utf8.length(input, at, input.length) : 0;
        if (length == 0) {
          return NONE;
        }
        output.add(input, at, at + length);
        at += length;
      }
    }
  }

  private static int escape(byte[] input, int at, CanonicalOutput output) {
    char letter = (char) (input[at] & 0xFF);
    if (letter == '/') {
      output.add('/');
      return at + 1;
    }
    if (LETTERS.indexOf(letter) >= 0) {
      output.addEscape(letter);
      return at + 1;
    }
    int unit = letter == 'u' ? hex(input, at + 1) : NONE;
    if (unit == NONE || Character.isLowSurrogate((char) unit)) {
      return NONE;
    }
    if (!Character.isHighSurrogate((char) unit)) {
      character(unit, output);
      return at + 5;
    }
    boolean another = input[at + 5] == '\\' && input[at + 6] == 'u';
    int low = another ? hex(input, at + 7) : NONE;
    if (low == NONE || !Character.isLowSurrogate((char) low)) {
      return NONE;
    }
    character(Character.toCodePoint((char) unit, (char) low), output);
    return at + 11;
  }

  private static int hex(byte[] input, int start) {
    int value = 0;
    for (int at = start; at < start + 4; at++) {
      int digit = input[at] > 0 ? Character.digit(input[at], 16) : NONE;
      if (digit < 0) {
        return NONE;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static void character(int point, CanonicalOutput output) {
    int meaning = MEANINGS.indexOf(point);
    if (meaning >= 0) {
      output.addEscape(LETTERS.charAt(meaning));
    } else if (point < ' ') {
      output.addEscape('u');
      output.add("00" + (point >> 4) + Character.forDigit(point & 0xF, 16));
    } else {
      byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);
      output.add(bytes, 0, bytes.length);
    }
  }

  /** What a canonical string stands for, in UTF-8; from one quotation mark to after the other. */
  static byte[] unescape(byte[] canonical, int start, int end) {
    byte[] plain = new byte[end - start];
    int size = 0;
    for (int at = start + 1; at < end - 1; at++) {
      byte next = canonical[at];
      if (next == '\\') {
        next = canonical[++at];
        if (next == 'u') {
          next = (byte) hex(canonical, at + 1);
          at += 4;
        } else {
          next = (byte) MEANINGS.charAt(LETTERS.indexOf(next));
        }
      }
      plain[size++] = next;
    }
    return Arrays.copyOf(plain, size);
  }
}
