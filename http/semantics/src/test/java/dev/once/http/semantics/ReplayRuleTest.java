package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReplayRuleTest {

  /** What a retry with these fields gets of an answer with those. */
  private static Reply replay(Body body, List<Header> first, String... retry) {
    String[] fields = Arrays.copyOf(retry, retry.length + 2);
    fields[retry.length] = "Idempotency-Key";
    fields[retry.length + 1] = "k";
    TestRules rules =
        new TestRules(
            Routes.all(HttpPolicy.DEFAULT),
            ScopeRule.DEFAULT,
            new Problems(URI.create("about:blank")));
    ProtectedRequest request = ((Verdict.Protect) rules.look(TestHead.post(fields))).request();
    Answer answer = request.answer(200, first, body).orElseThrow();
    return request.replay(answer);
  }

  private static List<String> replayed(String name, String value, String... retry) {
    return replay(Body.of("abc"), List.of(new Header(name, value)), retry).headers().stream()
        .filter(field -> field.name().equals(name))
        .map(Header::value)
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  void each_field_of_the_table_is_kept_or_not_as_it_says(ReplayRule rule) {
    for (String field : rule.fields()) {
      String name = field.replace("*", "Allow-Methods").replace("all others", "X-Other");
      List<String> replayed = replayed(name, "1");
      switch (rule) {
        case OF_THE_CONNECTION, OF_THE_MESSAGE, OF_THE_CALLER, OF_THE_MOMENT, OF_THE_ORIGIN ->
            assertThat(replayed).as(name).isEmpty();
        case OF_CACHES, OF_THE_CODING, OF_THE_BYTES, OF_THE_VERSION, OTHERS ->
            assertThat(replayed).as(name).containsExactly("1");
      }
      assertThat(replayed.isEmpty() || rule.isRecorded()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Retry-After | 5",
        "Location | /p/1",
        "Content-Location | /p/1",
        "Last-Modified | Thu, 01 Jan 1970 00:00:00 GMT",
        "Strict-Transport-Security | max-age=1",
        "Vary | Origin",
        "X-Request-Id | r-1",
        "ETag | \"v1\"",
        "Cache-Control | no-cache"
      })
  void what_says_something_of_the_operation_is_as_recorded(String name, String value) {
    assertThat(replayed(name, value)).containsExactly(value);
  }

  @Test
  void a_part_of_an_answer_is_never_decoded() {
    List<Header> partial =
        List.of(new Header("Content-Encoding", "gzip"), new Header("Content-Range", "bytes 0-2/9"));
    Reply reply = replay(Body.of("abc"), partial);
    assertThat(reply.headers()).containsAll(partial);
    assertThat(reply.body().toUtf8()).isEqualTo("abc");
  }

  @Test
  void what_is_gzip_in_very_many_parts_is_as_recorded() throws Exception {
    ByteArrayOutputStream empty = new ByteArrayOutputStream();
    new GZIPOutputStream(empty).close();
    ByteArrayOutputStream many = new ByteArrayOutputStream();
    for (int i = 0; i < 50_000; i++) {
      many.writeBytes(empty.toByteArray());
    }
    Bytes answer = Bytes.wrap(many.toByteArray());
    List<Header> coded = List.of(new Header("Content-Encoding", "gzip"));
    assertThat(replay(new Body.Full(answer), coded).body()).isEqualTo(answer);
  }

  @Test
  void the_guide_shows_the_table() throws Exception {
    String guide = Files.readString(Path.of("../../docs/gateway.md"));
    for (ReplayRule rule : ReplayRule.values()) {
      String fields =
          rule == ReplayRule.OTHERS
              ? "all others"
              : rule.fields().stream().map(it -> "`" + it + "`").collect(Collectors.joining(", "));
      assertThat(guide).contains("| " + fields + " | " + rule.replayed() + " |");
    }
  }
}
