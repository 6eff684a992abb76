package dev.once.http.semantics.canonical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CanonicalNumberTest {

  /** Random numbers; more with {@code -Plong}. */
  private static final int TRIED = 17_000 * Integer.getInteger("once.rounds", 1);

  private static String canonical(String number) {
    Bytes canonical = CanonicalJson.of(Bytes.utf8(number));
    return canonical == null ? null : canonical.toUtf8();
  }

  @ParameterizedTest
  @CsvSource({
    "0000000000000000, 0",
    "8000000000000000, 0",
    "0000000000000001, 5e-324",
    "8000000000000001, -5e-324",
    "7fefffffffffffff, 1.7976931348623157e+308",
    "ffefffffffffffff, -1.7976931348623157e+308",
    "4340000000000000, 9007199254740992",
    "c340000000000000, -9007199254740992",
    "4430000000000000, 295147905179352830000",
    "44b52d02c7e14af5, 9.999999999999997e+22",
    "44b52d02c7e14af6, 1e+23",
    "44b52d02c7e14af7, 1.0000000000000001e+23",
    "444b1ae4d6e2ef4e, 999999999999999700000",
    "444b1ae4d6e2ef4f, 999999999999999900000",
    "444b1ae4d6e2ef50, 1e+21",
    "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d, 0.000001",
    "41b3de4355555553, 333333333.3333332",
    "41b3de4355555554, 333333333.33333325",
    "41b3de4355555555, 333333333.3333333",
    "41b3de4355555556, 333333333.3333334",
    "41b3de4355555557, 333333333.33333343",
    "becbf647612f3696, -0.0000033333333333333333",
    "43143ff3c1cb0959, 1424953923781206.2"
  })
  void doubles_are_written_as_in_appendix_b_of_the_rfc(String bits, String expected) {
    double number = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));
    assertThat(CanonicalDouble.format(number)).isEqualTo(expected);
    assertThat(SlowCanonicalJson.number(number)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0, 0",
    "-0.000, 0",
    "0e99999999999, 0",
    "-0E-5, 0",
    "1, 1",
    "-1, -1",
    "10, 10",
    "1.0, 1",
    "10.00, 10",
    "100.0100, 100.01",
    "4.50, 4.5",
    "1E30, 1e+30",
    "2e-3, 0.002",
    "1e2, 100",
    "1.5E+1, 15",
    "0.1, 0.1",
    "0.000001, 0.000001",
    "0.0000012, 0.0000012",
    "0.0000001, 1e-7",
    "0.00000012, 1.2e-7",
    "-0.0000001, -1e-7",
    "0.10000000000000000000, 0.1",
    "123456789012345, 123456789012345",
    "1234567890123.45, 1234567890123.45",
    "9007199254740991, 9007199254740991",
    "9007199254740992, 9007199254740992",
    "-9007199254740992, -9007199254740992",
    "9007199254740994, 9007199254740994",
    "100000000000000000000, 100000000000000000000",
    "1000000000000000000000, 1e+21",
    "1e21, 1e+21",
    "1e20, 100000000000000000000",
    "9223372036854776000, 9223372036854776000",
    "9223372036854776e3, 9223372036854776000",
    "295147905179352830000, 295147905179352830000",
    "0.30000000000000004, 0.30000000000000004",
    "333333333.33333330, 333333333.3333333",
    "1e0000000000000000000005, 100000",
    "5e-324, 5e-324",
    "1e-323, 1e-323",
    "1.5e-323, 1.5e-323",
    "2.2250738585072014e-308, 2.2250738585072014e-308",
    "1.7976931348623157e308, 1.7976931348623157e+308",
    "2e23, 2e+23",
    "2.0E-3, 0.002",
    "5.684341886080801e-14, 5.684341886080801e-14",
    "9.5367431640625e-7, 9.5367431640625e-7"
  })
  void numbers_are_written_as_ecmascript_does(String number, String expected) {
    assertThat(canonical(number)).isEqualTo(expected);
    assertThat(canonical("[" + number + ", " + number + "]"))
        .isEqualTo("[" + expected + "," + expected + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "18446744073709551615",
        "12345678901234567",
        "123456789012345678901234567890",
        "9223372036854775808",
        "9007199254740993.0",
        "9007199254740993e0",
        "0.1000000000000000055511151231257827",
        "0.10000000000000001",
        "333333333.33333329",
        "12345678901234567.8",
        "1.00000000000000000001",
        "-1.00000000000000000001e-5",
        "4.9E-324",
        "3e-324",
        "9.9e-324",
        "2.2250738585072011e-308"
      })
  void a_number_that_a_double_would_round_is_left_raw(String number) {
    assertThat(canonical(number)).isNull();
    assertThat(canonical("{\"id\":" + number + "}")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e309", "-1e309", "1.8e308", "1e99999999999", "1e-400", "-2e-324"})
  void a_number_out_of_the_range_of_a_double_is_left_raw(String number) {
    assertThat(canonical(number)).isNull();
  }

  @Test
  void a_number_is_read_up_to_a_thousand_characters() {
    assertThat(canonical("10." + "0".repeat(995) + "e1")).isEqualTo("100");
    assertThat(canonical("10." + "0".repeat(996) + "e1")).isNull();
    assertThat(canonical("1" + "0".repeat(1000))).isNull();
    assertThat(canonical("0." + "0".repeat(2000))).isEqualTo("0");
  }

  @Test
  void two_values_never_have_one_form() {
    Random random = new Random(17);
    for (int i = 0; i < TRIED; i++) {
      BigDecimal value =
          new BigDecimal(new BigInteger(1 + random.nextInt(75), random), random.nextInt(40) - 10);
      String form = canonical(value.toString());
      // The form has the value itself: so those of two values differ.
      if (form != null) {
        assertThat(new BigDecimal(form)).isEqualByComparingTo(value);
        assertThat(canonical(form)).isEqualTo(form);
      }
    }
  }

  @Test
  void every_double_has_the_fewest_digits() {
    Random random = new Random(8785);
    for (int i = 0; i < TRIED; i++) {
      long bits = i < 2000 ? i : random.nextLong();
      // Powers of two have a smaller gap below than above.
      double number = Double.longBitsToDouble(i % 10 == 9 ? bits & 0xFFF0_0000_0000_0000L : bits);
      if (Double.isFinite(number)) {
        assertThat(CanonicalDouble.format(number)).isEqualTo(SlowCanonicalJson.number(number));
      }
    }
  }

  @Test
  void short_decimals_are_the_same_with_a_double_and_without() {
    Random random = new Random(15);
    for (int i = 0; i < TRIED; i++) {
      long limit = (long) Math.pow(10, random.nextInt(1, 16));
      long digits = random.nextLong(1, limit);
      String number = BigDecimal.valueOf(digits, random.nextInt(0, 20)).toPlainString();
      assertThat(canonical(number)).isEqualTo(SlowCanonicalJson.number(Double.parseDouble(number)));
    }
  }
}
