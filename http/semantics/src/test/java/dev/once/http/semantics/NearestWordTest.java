package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class NearestWordTest {

  private static final List<String> KNOWN =
      List.of("retention", "required", "lease", "ttl", "keep");

  @ParameterizedTest
  @CsvSource({
    "retentoin, retention",
    "RETENTION, retention",
    "requierd, required",
    "leese, lease",
    "tll, ttl",
    "kepe, keep",
  })
  void a_slip_is_understood(String word, String meant) {
    assertThat(NearestWord.to(word, KNOWN)).hasValue(meant);
  }

  @Test
  void what_is_like_nothing_is_not_guessed_at() {
    assertThat(NearestWord.to("colour", KNOWN)).isEmpty();
    assertThat(NearestWord.to("", KNOWN)).isEmpty();
    assertThat(NearestWord.to("x", List.of("y"))).isEmpty();
  }
}
