package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CanonicalFormTest {

  private static String canonical(String form) {
    return canonical(form.getBytes(UTF_8));
  }

  private static String canonical(byte[] form) {
    Bytes canonical = CanonicalForm.of(Bytes.copyOf(form));
    return canonical == null ? null : canonical.toUtf8();
  }

  @Test
  void pairs_are_sorted_by_name() {
    assertThat(canonical("b=1&a=2&ab=3&c-d_9=4&%C3%B6=5"))
        .isEqualTo("a=2&ab=3&b=1&c-d_9=4&%C3%B6=5");
  }

  @Test
  void names_that_differ_in_case_alone_stay_in_their_order() {
    assertThat(canonical("b=1&a=2&B=3&A=4")).isEqualTo("a=2&A=4&b=1&B=3");
    assertThat(canonical("%C3%96=1&%C3%B6=2")).isNotEqualTo(canonical("%C3%B6=2&%C3%96=1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"z[]=1&a=2", "z%5B=1&a=2", "z.y=1&a=2", "z+y=1&a=2", "z%00=1&a=2"})
  void with_a_name_that_some_servers_read_in_their_own_way_all_stay_in_their_order(String form) {
    assertThat(canonical(form)).endsWith("&a=2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=1;b=2", "a;b=1", ";", "a=1&b=2;"})
  void a_semicolon_that_is_not_encoded_is_left_raw(String form) {
    assertThat(canonical(form)).isNull();
  }

  @Test
  void a_form_of_more_pairs_than_servers_take_is_left_raw() {
    assertThat(canonical("a&".repeat(1_000))).isNotNull();
    assertThat(canonical("a&".repeat(1_001))).isNull();
  }

  @Test
  void values_of_the_same_name_stay_in_their_order() {
    assertThat(canonical("b=1&a=3&b=0&a=1&a=2&%61=0")).isEqualTo("a=3&a=1&a=2&a=0&b=1&b=0");
  }

  @ParameterizedTest
  @CsvSource({
    "a=x y, a=x+y",
    "a=x%20y, a=x+y",
    "a=x+y, a=x+y",
    "a=%2B, a=%2B",
    "a=%2f%2F/, a=%2F%2F%2F",
    "a=%41%7e~, a=A%7E%7E",
    "a=*-._, a=*-._",
    "a=é%C3%a9, a=%C3%A9%C3%A9",
    "a=%F0%9F%98%80, a=%F0%9F%98%80",
    "a=b=c, a=b%3Dc",
    "a=%26%3D%25, a=%26%3D%25",
    "a%3Db=c, a%3Db=c",
    "a%3bb=1, a%3Bb=1",
    "a=%00%0d%0A, a=%00%0D%0A"
  })
  void what_means_the_same_is_encoded_in_one_way(String form, String expected) {
    assertThat(canonical(form)).isEqualTo(expected);
  }

  @Test
  void a_name_alone_is_another_than_one_with_an_empty_value() {
    assertThat(canonical("a")).isEqualTo("a");
    assertThat(canonical("a=&b&=c&=")).isEqualTo("=c&=&a=&b");
  }

  @Test
  void empty_pairs_are_left_out() {
    assertThat(canonical("&&b=1&&&a=2&")).isEqualTo("a=2&b=1");
    assertThat(canonical("&")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%",
        "a=%",
        "a=%4",
        "a=%4&b=1",
        "a=%G0",
        "a=%0G",
        "a=%%41",
        "%=1",
        "a=% 41",
        "a=%+1",
        "a=%-1",
        "a=1&b=%u0041"
      })
  void a_percent_sign_without_two_digits_is_left_raw(String form) {
    assertThat(canonical(form)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a=%E9",
        "%FF=1",
        "a=%C3&b=%A9",
        "a%C3=%A9",
        "a=%C0%80",
        "a=%ED%A0%80",
        "a=%F4%90%80%80",
        "a=\u00E9",
        "a=%C3\u00E9",
        "a=%80"
      })
  void what_is_not_utf_8_is_left_raw(String form) {
    assertThat(canonical(form.getBytes(ISO_8859_1))).isNull();
  }

  @Test
  void the_canonical_form_of_a_canonical_form_is_itself_whatever_the_order_and_encoding() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      List<String> one = new ArrayList<>();
      List<String> another = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        // Plain, and the number makes each name differ: only then is the order free.
        String name = "%d%s".formatted(i, random.nextBoolean() ? "é" : "Z");
        String value = text(random);
        one.add(URLEncoder.encode(name, UTF_8) + "=" + URLEncoder.encode(value, UTF_8));
        another.add(percentEncoded(name) + "=" + percentEncoded(value));
      }
      Collections.shuffle(another, random);
      String canonical = canonical(String.join("&", one));
      assertThat(canonical(String.join("&&", another))).as("%d", seed).isEqualTo(canonical);
      assertThat(canonical(canonical)).as("%d", seed).isEqualTo(canonical);
    }
  }

  @Test
  void random_bytes_never_throw_anything() {
    Random random = new Random(1);
    byte[] alphabet = "aB0%%%&=+cC3\u00e9 ".getBytes(UTF_8);
    for (int i = 0; i < 100_000; i++) {
      byte[] form = new byte[random.nextInt(12)];
      for (int k = 0; k < form.length; k++) {
        form[k] = alphabet[random.nextInt(alphabet.length)];
      }
      String canonical = canonical(form);
      if (canonical != null) {
        assertThat(canonical(canonical)).isEqualTo(canonical);
      }
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      text.append(
          List.of("a", "Z", "0", " ", "+", "%", "&", "=", "é", "€", "😀", "~", "*")
              .get(random.nextInt(13)));
    }
    return text.toString();
  }

  private static String percentEncoded(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte next : text.getBytes(UTF_8)) {
      encoded.append("%%%02x".formatted(next));
    }
    return encoded.toString();
  }
}
