package dev.once.http.semantics;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Percent-encoding in paths (RFC 3986, 2.1). A percent sign without two digits is one. */
final class Escapes {

  private Escapes() {}

  /** The byte that an escape at this place stands for; -1 if there is none. */
  static int byteAt(String text, int at) {
    if (at + 2 >= text.length() || text.charAt(at) != '%') {
      return -1;
    }
    int high = Character.digit(text.charAt(at + 1), 16);
    int low = Character.digit(text.charAt(at + 2), 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  /** Whether a byte could have stood for itself in a path. */
  static boolean isNeedless(int escaped) {
    return isUnreserved(escaped) || (escaped > 0 && "!$&'()*+,;=:@".indexOf(escaped) >= 0);
  }

  /** Whether a byte means the same with and without an escape (RFC 3986, 6.2.2.2). */
  private static boolean isUnreserved(int b) {
    return (b >= 'a' && b <= 'z')
        || (b >= 'A' && b <= 'Z')
        || (b >= '0' && b <= '9')
        || (b > 0 && "-._~".indexOf(b) >= 0);
  }

  /**
   * The text without escapes.
   *
   * @param keepNeedless leaves those as they are that need not be
   */
  static String decode(String text, boolean keepNeedless, boolean latin1) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    Charset charset = latin1 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
    return new String(bytes(text, keepNeedless, charset), charset);
  }

  private static byte[] bytes(String text, boolean keepNeedless, Charset charset) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(text.length());
    int plain = 0; // where text without escapes began
    for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
      int escaped = byteAt(text, i);
      if (escaped >= 0 && !(keepNeedless && isNeedless(escaped))) {
        decoded.writeBytes(text.substring(plain, i).getBytes(charset));
        decoded.write(escaped);
        plain = i + 3;
        i += 2;
      }
    }
    decoded.writeBytes(text.substring(plain).getBytes(charset));
    return decoded.toByteArray();
  }

  static boolean isUtf8(String text) {
    try {
      byte[] bytes = bytes(text, false, StandardCharsets.UTF_8);
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Whether there are more bytes for a character than it takes: {@code C0 AF} for a slash. */
  static boolean hasOverlong(String text) {
    byte[] bytes = bytes(text, false, StandardCharsets.UTF_8);
    for (int i = 0; i + 1 < bytes.length; i++) {
      int first = Byte.toUnsignedInt(bytes[i]);
      int next = Byte.toUnsignedInt(bytes[i + 1]);
      int shortest = // the least second byte that the first one can have
          switch (first) {
            case 0xC0, 0xC1 -> 0xC0;
            case 0xE0 -> 0xA0;
            case 0xF0 -> 0x90;
            default -> 0x80;
          };
      if (next >= 0x80 && next < shortest) {
        return true;
      }
    }
    return false;
  }

  /** One spelling for paths that are the same by RFC 3986 (6.2.2.1 and 6.2.2.2). */
  static String normal(String path) {
    if (path.indexOf('%') < 0) {
      return path;
    }
    StringBuilder normal = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      int escaped = byteAt(path, i);
      if (escaped < 0) {
        normal.append(path.charAt(i));
      } else {
        String escape = path.substring(i, i + 3).toUpperCase(Locale.ROOT);
        normal.append(isUnreserved(escaped) ? String.valueOf((char) escaped) : escape);
        i += 2;
      }
    }
    return normal.toString();
  }
}
