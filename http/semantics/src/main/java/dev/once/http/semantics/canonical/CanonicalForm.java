package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.once.core.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An {@code application/x-www-form-urlencoded} body in one form.
 *
 * <ol>
 *   <li>Each pair is decoded and encoded again: a letter, a digit and any of {@code *-._} as it is,
 *       a space as a plus, all else as a percent sign and two digits in upper case.
 *   <li>The pairs are sorted by name. Those whose names differ in case at most stay in their order:
 *       some servers take them for one.
 *   <li>If any name has another character than letters, digits, {@code -} and {@code _}, all pairs
 *       stay in their order: {@code i[][n]} begins the next element of a list where it comes again,
 *       and {@code a.b} is {@code a_b} to some servers.
 * </ol>
 *
 * <p>A name alone stays alone: to some servers it has no value, not an empty one. An empty pair is
 * none. No form have: a percent sign without two digits, what is not UTF-8 when decoded, a
 * semicolon that is not encoded, which some servers take for an ampersand, and a form of more than
 * 1,000 pairs.
 */
final class CanonicalForm {

  /** Where a pair is in the output, and its name, decoded. */
  private record Pair(int start, int end, String name) {}

  /** A pair of two bytes takes 72 here; and servers take no more either. */
  private static final int MAX_PAIRS = 1_000;

  private static final String HEX = "0123456789ABCDEF";

  private final byte[] input;
  private final byte[] decoded;
  private final CanonicalOutput output;

  /** How much was decoded last. */
  private int decodedSize;

  private CanonicalForm(byte[] input) {
    this.input = input;
    this.decoded = new byte[input.length];
    this.output = new CanonicalOutput(input.length);
  }

  /** The canonical form, or null if the body has none. */
  static @Nullable Bytes of(Bytes body) {
    return new CanonicalForm(body.toArray()).canonical();
  }

  private @Nullable Bytes canonical() {
    List<Pair> pairs = new ArrayList<>();
    boolean anyOrder = true;
    int start = 0;
    while (start < input.length) {
      int end = find('&', start, input.length);
      if (end > start) {
        int from = output.size();
        int equals = find('=', start, end);
        if (!recode(start, equals)) {
          return null;
        }
        String name = new String(decoded, 0, decodedSize, UTF_8);
        anyOrder &= isPlain(name);
        if (equals < end) {
          output.add('=');
          if (!recode(equals + 1, end)) {
            return null;
          }
        }
        pairs.add(new Pair(from, output.size(), name));
        if (pairs.size() > MAX_PAIRS) {
          return null;
        }
      }
      start = end + 1;
    }
    if (anyOrder) {
      pairs.sort(Comparator.comparing(Pair::name, String.CASE_INSENSITIVE_ORDER));
    }
    CanonicalOutput sorted = new CanonicalOutput(output.size() + pairs.size());
    for (Pair pair : pairs) {
      if (sorted.size() > 0) {
        sorted.add('&');
      }
      sorted.add(output.bytes(), pair.start, pair.end);
    }
    return sorted.toBytes();
  }

  private static boolean isPlain(String name) {
    return name.chars()
        .allMatch(c -> c > 0x7F || c == '-' || c == '_' || Character.isLetterOrDigit(c));
  }

  private int find(char wanted, int start, int end) {
    int at = start;
    while (at < end && input[at] != wanted) {
      at++;
    }
    return at;
  }

  /** Decodes a name or a value, and writes it in the one way; false if it cannot be decoded. */
  private boolean recode(int start, int end) {
    int size = 0;
    for (int at = start; at < end; at++) {
      byte next = input[at];
      if (next == ';') {
        return false;
      }
      if (next == '+') {
        next = ' ';
      } else if (next == '%') {
        int high = at + 2 < end ? digit(input[at + 1]) : -1;
        int low = high < 0 ? -1 : digit(input[at + 2]);
        if (low < 0) {
          return false;
        }
        next = (byte) (high << 4 | low);
        at += 2;
      }
      decoded[size++] = next;
    }
    if (!Utf8.isWellFormed(decoded, size)) {
      return false;
    }
    decodedSize = size;
    for (int i = 0; i < size; i++) {
      encode(decoded[i]);
    }
    return true;
  }

  private static int digit(byte hex) {
    return hex < 0 ? -1 : Character.digit(hex, 16);
  }

  private void encode(byte next) {
    char c = (char) (next & 0xFF);
    if ((c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "*-._".indexOf(c) >= 0) {
      output.add(c);
    } else if (c == ' ') {
      output.add('+');
    } else {
      output.add('%');
      output.add(HEX.charAt(c >> 4));
      output.add(HEX.charAt(c & 0xF));
    }
  }
}
