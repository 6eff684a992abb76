package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.nio.charset.Charset;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CanonicalJsonTest {

  private static String canonical(String json) {
    return canonical(json.getBytes(UTF_8));
  }

  private static String canonical(byte[] json) {
    Bytes canonical = CanonicalJson.of(Bytes.copyOf(json));
    return canonical == null ? null : canonical.toUtf8();
  }

  /** But for one number of it, 333333333.33333329, which the RFC rounds, and we do not. */
  @Test
  void the_example_of_the_rfc_has_the_bytes_of_the_rfc() {
    String example =
        """
        {
          "numbers": [333333333.33333330, 1E30, 4.50,
                      2e-3, 0.000000000000000000000000001],
          "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
          "literals": [null, true, false]
        }
        """;
    assertThat(CanonicalJson.of(Bytes.utf8(example)).toHex())
        .isEqualTo(
            HexFormat.of()
                .formatHex(
                    ("{\"literals\":[null,true,false],"
                            + "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                            + "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}")
                        .getBytes(UTF_8)));
  }

  @Test
  void names_are_sorted_by_utf_16_code_units_as_in_the_rfc() {
    String names =
        """
        {
          "\\u20ac": "Euro Sign",
          "\\r": "Carriage Return",
          "\\ufb33": "Hebrew Letter Dalet With Dagesh",
          "1": "One",
          "\\ud83d\\ude00": "Emoji: Grinning Face",
          "\\u0080": "Control",
          "\\u00f6": "Latin Small Letter O With Diaeresis"
        }
        """;
    assertThat(canonical(names))
        .isEqualTo(
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                + "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
                + "\"\ud83d\ude00\":\"Emoji: Grinning Face\","
                + "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
  }

  @Test
  void names_are_sorted_by_what_they_say_and_not_by_how_it_is_escaped() {
    assertThat(canonical("{\"b\":1,\"\\u0061\":2}")).isEqualTo("{\"a\":2,\"b\":1}");
    assertThat(canonical("{\"\\\\\":1,\"Z\":2,\"\\\"\":3,\"!\":4,\"#\":5,\"\\u0001\":6,\"]\":7}"))
        .isEqualTo("{\"\\u0001\":6,\"!\":4,\"\\\"\":3,\"#\":5,\"Z\":2,\"\\\\\":1,\"]\":7}");
    assertThat(canonical("{\"a\\u0000\":1,\"a\":2,\"\":3}"))
        .isEqualTo("{\"\":3,\"a\":2,\"a\\u0000\":1}");
  }

  @Test
  void names_that_begin_alike_are_sorted_by_the_rest() {
    assertThat(canonical("{\"shippingMethod\":1,\"shippingAddress\":2,\"shipping\":3,\"ship\":4}"))
        .isEqualTo("{\"ship\":4,\"shipping\":3,\"shippingAddress\":2,\"shippingMethod\":1}");
    assertThat(canonical("{\"12345678\uFB33\":1,\"12345678\uD83D\uDE00\":2}"))
        .isEqualTo("{\"12345678\uD83D\uDE00\":2,\"12345678\uFB33\":1}");
  }

  @Test
  void objects_within_objects_are_sorted_each() {
    assertThat(canonical("{\"b\":{\"y\":[{\"n\":1,\"m\":2}],\"x\":0},\"a\":{\"d\":1,\"c\":{}}}"))
        .isEqualTo("{\"a\":{\"c\":{},\"d\":1},\"b\":{\"x\":0,\"y\":[{\"m\":2,\"n\":1}]}}");
  }

  @Test
  void many_members_are_sorted() {
    List<String> members =
        IntStream.range(1000, 9000)
            .map(i -> 9999 - i)
            .mapToObj("\"n%04d\":{}"::formatted)
            .collect(Collectors.toList());
    String body = "{" + String.join(",", members) + "}";
    members.sort(null);
    assertThat(canonical(body)).isEqualTo("{" + String.join(",", members) + "}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "null", "true", "false", "0", "\"\"", "\"a\u007F\u2028\""})
  void what_is_canonical_stays_as_it_is(String json) {
    assertThat(canonical(json)).isEqualTo(json);
    assertThat(canonical(" \t\r\n" + json + " \t\r\n")).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "[1}",
        "tru",
        "truE",
        "True",
        "nul",
        "nulll",
        "falsee",
        "NaN",
        "Infinity",
        "undefined",
        "'a'",
        "\"",
        "\"a",
        "\"\\",
        "\"\\\"",
        "\"\\x41\"",
        "\"\\a\"",
        "\"\\u\"",
        "\"\\u00\"",
        "\"\\u004\"",
        "\"\\u004G\"",
        "\"\\u002\uFB33\"",
        "\"\\u\u0660041\"",
        "\"\\U0041\"",
        "\"\\u+041\"",
        "\"\t\"",
        "\"\n\"",
        "\"\u0000\"",
        "\u0000",
        "[]\u0000",
        "\u00A0[]",
        "\u000B[]",
        "\f[]",
        "-",
        "+1",
        "01",
        "-01",
        "00",
        "1.",
        ".1",
        "-.1",
        "1.e1",
        "1e",
        "1e+",
        "1E-",
        "1e1.5",
        "0x10",
        "1_000",
        "1f",
        "1 1",
        "--1",
        "// c\n1",
        "/* c */1",
        "[1]//",
        "# c\n1",
        "\u001E{}"
      })
  void what_is_not_json_is_left_raw(String body) {
    assertThat(canonical(body)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}{}", "[] []", "1 2", "{} x", "\"a\"\"b\"", "null,", "{}]", "{},"})
  void what_has_more_after_its_value_is_left_raw(String body) {
    assertThat(canonical(body)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"b\":2,\"a\":3}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"\\n\":1,\"\\u000A\":2}",
        "{\"\":1,\"\":2}",
        "{\"é\":1,\"\\u00e9\":2}",
        "{\"longer than eight bytes\":1,\"longer than eight bytes\":2}",
        "[{\"b\":{\"d\":1,\"c\":1,\"d\":2},\"a\":1}]"
      })
  void what_has_a_name_twice_in_one_object_is_left_raw(String body) {
    assertThat(canonical(body)).isNull();
  }

  @Test
  void a_name_may_come_again_in_another_object() {
    assertThat(canonical("{\"b\":{\"a\":1},\"a\":{\"a\":1,\"b\":[{\"a\":1},{\"a\":1}]}}"))
        .isEqualTo("{\"a\":{\"a\":1,\"b\":[{\"a\":1},{\"a\":1}]},\"b\":{\"a\":1}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800\\ud800\"",
        "\"\\ud800x\"",
        "\"\\ud800\\n\"",
        "\"\\ud800\\u0041\"",
        "{\"\\udfff\":1}",
        "\"\\ud83d\uD83D\uDE00\""
      })
  void half_a_surrogate_pair_is_left_raw(String body) {
    assertThat(canonical(body)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80",
        "BF",
        "C0 80",
        "C1 BF",
        "C2",
        "C2 22",
        "E0 80 80",
        "E0 9F BF",
        "E2 82",
        "E2 28 A1",
        "ED A0 80",
        "ED BF BF",
        "ED A0 BD ED B8 80",
        "F0 80 80 80",
        "F0 8F BF BF",
        "F0 9F 98",
        "F0 9F 98 28",
        "F4 90 80 80",
        "F5 80 80 80",
        "F8 88 80 80 80",
        "FE",
        "FF",
        "E9"
      })
  void what_is_not_utf_8_is_left_raw(String hex) {
    byte[] malformed = HexFormat.ofDelimiter(" ").parseHex(hex);
    String latin1 = new String(malformed, ISO_8859_1);
    assertThat(canonical(("\"" + latin1 + "\"").getBytes(ISO_8859_1))).isNull();
    assertThat(canonical(("{\"a" + latin1 + "b\":1}").getBytes(ISO_8859_1))).isNull();
    assertThat(canonical(("\"" + latin1).getBytes(ISO_8859_1))).isNull();
    assertThat(canonical(("[1]" + latin1).getBytes(ISO_8859_1))).isNull();
  }

  @Test
  void other_encodings_and_byte_order_marks_are_left_raw() {
    for (Charset charset : List.of(UTF_16BE, UTF_16LE, Charset.forName("UTF-32"))) {
      assertThat(canonical("{\"a\":1}".getBytes(charset))).isNull();
      assertThat(canonical("1".getBytes(charset))).isNull();
      assertThat(canonical("\uFEFF{}".getBytes(charset))).isNull();
    }
    assertThat(canonical("\uFEFF{}")).isNull();
    assertThat(canonical("\"\uFEFF\"")).isEqualTo("\"\uFEFF\"");
  }

  @Test
  void up_to_64_arrays_and_objects_may_be_in_each_other() {
    assertThat(canonical("[".repeat(64) + "]".repeat(64))).hasSize(128);
    assertThat(canonical("[".repeat(65) + "]".repeat(65))).isNull();
    assertThat(canonical("{\"a\":".repeat(64) + "1" + "}".repeat(64))).hasSize(385);
    assertThat(canonical("{\"a\":".repeat(65) + "1" + "}".repeat(65))).isNull();
  }

  @Test
  void a_very_deep_body_is_left_raw_without_a_stack_overflow() {
    assertThat(canonical("[".repeat(2_000_000))).isNull();
    assertThat(canonical("{\"a\":".repeat(500_000))).isNull();
  }

  @Test
  void strings_are_escaped_only_where_they_must_be() {
    assertThat(canonical("\"\\/\\u002f\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\\u007f\""))
        .isEqualTo("\"//Aé€\uD83D\uDE00\u007F\"");
    assertThat(canonical("\"\\u0008\\u0009\\u000a\\u000c\\u000d\\u000B\\u001F\\u0000\""))
        .isEqualTo("\"\\b\\t\\n\\f\\r\\u000b\\u001f\\u0000\"");
    assertThat(canonical("\"\\u0022\\u005C\\\"\\\\\"")).isEqualTo("\"\\\"\\\\\\\"\\\\\"");
  }

  @Test
  void strings_of_all_lengths_around_the_eight_bytes_looked_at_are_copied_whole() {
    for (int length = 0; length < 40; length++) {
      String plain = "\"" + "x".repeat(length);
      assertThat(canonical(plain + "\"")).isEqualTo(plain + "\"");
      assertThat(canonical(plain + "\\u0041é\\n\"")).isEqualTo(plain + "Aé\\n\"");
      assertThat(canonical(plain)).isNull();
      assertThat(canonical(plain + "\\")).isNull();
      assertThat(canonical(plain + "\u0001\"")).isNull();
    }
  }

  @Test
  void the_form_of_a_body_is_never_more_than_six_times_as_long() {
    String small = "[" + "1e20,".repeat(10_000) + "1e20]";
    assertThat(canonical(small).length()).isLessThan(6 * small.length());
  }
}
