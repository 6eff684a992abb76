package dev.once.http.semantics.canonical;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A double as ECMAScript writes it ({@code Number::toString}): the fewest digits that are still
 * this double and no other.
 *
 * <p>The digits are Jackson's, since {@link Double#toString(double)} of a JDK before 19 does not
 * always find the fewest.
 */
final class CanonicalDouble {

  /** From 10 to this power on there is an exponent. */
  private static final int PLAIN_DIGITS = 21;

  /** Below 10 to this power, too. */
  private static final int PLAIN_ZEROS = -6;

  private static final MathContext ONE_DIGIT = new MathContext(1, RoundingMode.HALF_UP);

  private CanonicalDouble() {}

  /** The text of a finite double. */
  static String format(double number) {
    if (number == 0) {
      return "0";
    }
    return format(number < 0, shortest(Math.abs(number)));
  }

  /** The text of a double that is not zero, of which the fewest digits are known. */
  static String format(boolean negative, BigDecimal shortest) {
    String digits = shortest.unscaledValue().toString();
    // The number is 0.digits times 10 to the power of point.
    int point = digits.length() - shortest.scale();
    StringBuilder text = new StringBuilder(32).append(negative ? "-" : "");
    if (point > PLAIN_DIGITS || point <= PLAIN_ZEROS) {
      text.append(digits, 0, 1);
      if (digits.length() > 1) {
        text.append('.').append(digits, 1, digits.length());
      }
      text.append(point > 0 ? "e+" : "e").append(point - 1);
    } else if (point <= 0) {
      text.append("0.").append("0".repeat(-point)).append(digits);
    } else if (point >= digits.length()) {
      text.append(digits).append("0".repeat(point - digits.length()));
    } else {
      text.append(digits, 0, point).append('.').append(digits, point, digits.length());
    }
    return text.toString();
  }

  /** The fewest digits of a double above zero, as the value that they have. */
  static BigDecimal shortest(double number) {
    BigDecimal shortest = new BigDecimal(NumberOutput.toString(number, true)).stripTrailingZeros();
    // Java prints two digits at least and then the closest, such as 4.9E-324; one may do: 5e-324.
    BigDecimal shorter = shortest.round(ONE_DIGIT).stripTrailingZeros();
    return shortest.precision() == 2 && shorter.doubleValue() == number ? shorter : shortest;
  }
}
