package dev.once.http.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.wire.Json;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  @DisplayName("a rewritten value looks different and means the same")
  void a_rewritten_value_looks_different_and_means_the_same() {
    String text = "{\"a\":1.50,\"b\":[true,null,{\"x\":\"\\u00e9\\n\",\"y\":-0}],\"c\":{}}";
    Json json = Json.parse(text).orElseThrow();
    String rewritten = JsonRewriter.of(json);
    assertThat(rewritten).isNotEqualTo(text).containsSubsequence("\"c\"", "\"b\"", "\"a\"", "1.50");
    assertThat(Json.parse(rewritten)).contains(json);
  }

  @Test
  @DisplayName("what is not JSON, or repeats a name, is not guessed at")
  void what_is_not_json_or_repeats_a_name_is_not_guessed_at() {
    for (String text : new String[] {"", "{", "{\"a\":1,\"a\":2}", "1 2", "x"}) {
      assertThat(Json.parse(text)).as(text).isEmpty();
    }
  }

  @Test
  @DisplayName("a pointer finds members and elements, escaped names included")
  void a_pointer_finds_members_and_elements_escaped_names_included() {
    Json json = Json.parse("{\"a/b\":[{\"~\":7}],\"\":8}").orElseThrow();
    assertThat(json.at("")).contains(json);
    assertThat(json.at("/a~1b/0/~0")).contains(new Json.Literal("7"));
    assertThat(json.at("/")).contains(new Json.Literal("8"));
    assertThat(json.at("/a~1b/1")).isEmpty();
    assertThat(json.at("/a~1b/x")).isEmpty();
    assertThat(json.at("/none/deeper")).isEmpty();
  }
}
