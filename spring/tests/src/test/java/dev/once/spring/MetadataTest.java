package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.PolicyValue.Kind;
import dev.once.http.semantics.PolicyValue.Word;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;

/** What IDEs complete and explain {@code once.*} by. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MetadataTest {

  private static final Map<String, Object> METADATA = read();

  private static Map<String, Object> read() {
    try {
      String json =
          new ClassPathResource(
                  "META-INF/spring-configuration-metadata.json",
                  OnceProperties.class.getClassLoader())
              .getContentAsString(StandardCharsets.UTF_8);
      assertThat(json).contains("\"once.retention\"");
      return JsonParserFactory.getJsonParser().parseMap(json);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<?, ?> named(String list, String name) {
    for (Object one : (List<?>) METADATA.get(list)) {
      if (((Map<?, ?>) one).get("name").equals(name)) {
        return (Map<?, ?>) one;
      }
    }
    throw new AssertionError(name + ": not among the " + list);
  }

  private static List<String> hints(String name) {
    List<String> values = new ArrayList<>();
    for (Object value : (List<?>) named("hints", name).get("values")) {
      values.add(String.valueOf(((Map<?, ?>) value).get("value")));
    }
    return values;
  }

  @Test
  void every_value_of_a_policy_is_a_property_and_is_explained() {
    for (PolicyValue value : PolicyValue.values()) {
      assertThat((String) named("properties", "once." + value.label()).get("description"))
          .isEqualToIgnoringCase(value.meaning() + ".");
    }
  }

  @Test
  void every_value_of_a_policy_has_its_default() {
    for (PolicyValue value : PolicyValue.values()) {
      assertThat(named("properties", "once." + value.label()).get("defaultValue"))
          .hasToString(value.show(HttpPolicy.DEFAULT));
    }
  }

  @Test
  void no_property_is_listed_twice() {
    List<Object> names = new ArrayList<>();
    ((List<?>) METADATA.get("properties")).forEach(one -> names.add(((Map<?, ?>) one).get("name")));
    assertThat(names).doesNotHaveDuplicates();
  }

  @Test
  void all_properties_are_explained() {
    for (Iterator<?> all = ((List<?>) METADATA.get("properties")).iterator(); all.hasNext(); ) {
      Map<?, ?> property = (Map<?, ?>) all.next();
      assertThat((String) property.get("description")).as("%s", property).isNotBlank();
    }
  }

  @Test
  void the_names_of_the_profiles_are_offered() {
    assertThat(hints("once.profile"))
        .containsExactlyElementsOf(HttpProfile.ALL.stream().map(HttpProfile::name).toList());
  }

  @Test
  void the_words_that_may_be_chosen_are_offered() {
    for (PolicyValue value : PolicyValue.values()) {
      if (value.kind() == Kind.BOOLEAN) {
        assertThat(hints("once." + value.label())).containsExactly("true", "false");
      } else if (value.kind() == Kind.WORD) {
        assertThat(hints("once." + value.label()))
            .containsExactlyElementsOf(value.words().stream().map(Word::text).toList());
      }
    }
  }

  @Test
  void every_word_that_is_offered_is_understood() {
    for (PolicyValue value : PolicyValue.values()) {
      for (Word word : value.words()) {
        HttpPolicy policy = value.set(HttpPolicy.DEFAULT, word.text());
        assertThat(value.show(policy)).isEqualTo(word.text());
      }
    }
  }
}
