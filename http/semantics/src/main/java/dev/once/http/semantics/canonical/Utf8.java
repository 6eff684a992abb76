package dev.once.http.semantics.canonical;

/** Well-formed UTF-8, as table 3-7 of the Unicode standard has it. */
final class Utf8 {

  private Utf8() {}

  /**
   * The length of the character of more than one byte that begins here, or 0 if there is none: not
   * if it is cut short, longer than need be, half a surrogate pair or beyond U+10FFFF.
   *
   * @param end where the bytes end
   */
  static int length(byte[] bytes, int at, int end) {
    int first = bytes[at] & 0xFF;
    int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || length > end - at) {
      return 0;
    }
    for (int i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xFF;
    boolean wellFormed =
        switch (first) {
          case 0xE0 -> second >= 0xA0;
          case 0xED -> second < 0xA0;
          case 0xF0 -> second >= 0x90;
          case 0xF4 -> second < 0x90;
          default -> true;
        };
    return wellFormed ? length : 0;
  }

  /** Whether all of it is. */
  static boolean isWellFormed(byte[] bytes, int end) {
    int at = 0;
    while (at < end) {
      int length = bytes[at] >= 0 ? 1 : length(bytes, at, end);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }
}
