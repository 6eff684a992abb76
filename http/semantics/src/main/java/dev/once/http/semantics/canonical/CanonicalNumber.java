package dev.once.http.semantics.canonical;

import static dev.once.http.semantics.canonical.CanonicalJson.NONE;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.math.BigDecimal;
import java.util.Arrays;

/**
 * Numbers of JSON. They stand for doubles, and are written as ECMAScript writes these.
 *
 * <ol>
 *   <li>Most need no double. No two decimals of up to {@value #SAFE_DIGITS} digits are the same
 *       double, so each is its own shortest form, but for zeros at the end of its fraction. So is
 *       every integer up to 2<sup>53</sup>.
 *   <li>All others are read as a double, and written anew by {@link CanonicalDouble}.
 * </ol>
 *
 * <p>No canonical form have: what would be written with another value than it came with, be it by
 * one digit, since two amounts or identifiers must not become one; what is too large for a double,
 * or so small that it would be zero; what has more than {@value #MAX_LENGTH} characters.
 */
final class CanonicalNumber {

  static final int MAX_LENGTH = 1000;

  private static final int SAFE_DIGITS = 15;

  /** 2<sup>53</sup>. */
  private static final byte[] SAFE_INTEGER = "9007199254740992".getBytes(US_ASCII);

  /** A smaller number has an exponent in its canonical form. */
  private static final int ZEROS_OF_A_FRACTION = 5;

  private CanonicalNumber() {}

  /**
   * Writes the number that begins here.
   *
   * @return where it ended, or {@link CanonicalJson#NONE}
   */
  static int write(byte[] input, int start, CanonicalOutput output) {
    int first = input[start] == '-' ? start + 1 : start;
    int point = input[first] == '0' ? first + 1 : digits(input, first);
    if (point == first) {
      return NONE;
    }
    int mantissa = input[point] == '.' ? digits(input, point + 1) : point;
    if (mantissa == point + 1) {
      return NONE;
    }
    if (input[mantissa] == 'e' || input[mantissa] == 'E') {
      byte sign = input[mantissa + 1];
      int exponent = sign == '+' || sign == '-' ? mantissa + 2 : mantissa + 1;
      int end = digits(input, exponent);
      return end == exponent ? NONE : viaDouble(input, start, end, output);
    }
    int last = withoutZeros(input, point, mantissa);
    if (last == first + 1 && input[first] == '0') {
      output.add('0');
      return mantissa;
    }
    if (isCanonical(input, first, point, last)) {
      output.add(input, start, last);
      return mantissa;
    }
    return viaDouble(input, start, mantissa, output);
  }

  private static int digits(byte[] input, int start) {
    int at = start;
    while (input[at] >= '0' && input[at] <= '9') {
      at++;
    }
    return at;
  }

  /** Where the number ends, without zeros at the end of its fraction. */
  private static int withoutZeros(byte[] input, int point, int end) {
    int last = end;
    while (last > point && input[last - 1] == '0') {
      last--;
    }
    return last == point + 1 ? point : last;
  }

  /** Whether this, neither zero nor with an exponent, is surely as it is to be written. */
  private static boolean isCanonical(byte[] input, int first, int point, int last) {
    if (last == point) {
      return last - first <= SAFE_DIGITS
          || (last - first == SAFE_INTEGER.length
              && Arrays.compare(input, first, last, SAFE_INTEGER, 0, SAFE_INTEGER.length) <= 0);
    }
    if (last - first - 1 > SAFE_DIGITS) {
      return false;
    }
    int notZero = point + 1;
    while (input[notZero] == '0') {
      notZero++;
    }
    return input[first] != '0' || notZero - (point + 1) <= ZEROS_OF_A_FRACTION;
  }

  private static int viaDouble(byte[] input, int start, int end, CanonicalOutput output) {
    if (end - start > MAX_LENGTH) {
      return NONE;
    }
    String literal = new String(input, start, end - start, US_ASCII);
    if (isZero(literal)) {
      output.add('0');
      return end;
    }
    double number = Double.parseDouble(literal);
    if (Double.isInfinite(number) || number == 0) {
      return NONE;
    }
    // Cheap, however large the exponent: the double is finite, so both are of one magnitude.
    BigDecimal shortest = CanonicalDouble.shortest(Math.abs(number));
    if (new BigDecimal(literal).abs().compareTo(shortest) != 0) {
      return NONE;
    }
    output.add(CanonicalDouble.format(number < 0, shortest));
    return end;
  }

  private static boolean isZero(String literal) {
    for (int i = 0; i < literal.length() && (literal.charAt(i) | 0x20) != 'e'; i++) {
      if (literal.charAt(i) >= '1') {
        return false;
      }
    }
    return true;
  }
}
