package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Outcome;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** That an answer comes back as it was given. */
abstract class Answers extends Topic {

  /** A test does not build bodies larger than this, whatever a store says that it takes. */
  private static final int LARGEST_TRIED = 32 * 1024 * 1024;

  Answers(Callable<StoreFixture> opener) {
    super(opener);
  }

  @TestFactory
  Stream<DynamicTest> comes_back_with_the_same_body() {
    byte[] random = new byte[1024 * 1024];
    new Random(42).nextBytes(random);
    byte[] everyByte = new byte[256];
    IntStream.range(0, 256).forEach(i -> everyByte[i] = (byte) i);

    Map<String, Body> bodies = new LinkedHashMap<>();
    bodies.put("nothing", Body.EMPTY);
    bodies.put("one byte", full(new byte[] {0}));
    bodies.put("every byte value", full(everyByte));
    bodies.put("100 bytes", Body.of("x".repeat(100)));
    bodies.put("2 KB of JSON", Body.of("[" + "{\"name\":\"Zo\u00eb\"},".repeat(120) + "{}]"));
    bodies.put("100 KB that compress well", Body.of("ab".repeat(50 * 1024)));
    bodies.put("1 MB that does not compress", full(random));
    bodies.put("a digest", new Body.Digest(5_000_000_000L, Bytes.wrap(new byte[32])));
    bodies.put("a body that is not kept", new Body.Omitted());
    return bodies.entrySet().stream()
        .map(body -> comesBack(body.getKey(), Answer.success(200, body.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> comes_back_with_the_same_headers() {
    Map<String, List<Header>> headers = new LinkedHashMap<>();
    headers.put("none", List.of());
    headers.put(
        "repeated names, in order",
        List.of(
            new Header("Link", "</2>"),
            new Header("ETag", "\"7\""),
            new Header("Link", "</1>"),
            new Header("link", "</2>"),
            new Header("Link", "</2>")));
    headers.put("an empty value", List.of(new Header("X-Empty", "")));
    headers.put(
        "values beyond ASCII", List.of(new Header("X-Name", "Zo\u00eb \u682a \ud83d\ude80")));
    headers.put("control characters", List.of(new Header("X-Odd", "a\0b\tc\r\nd\"e'f\\g:h;i=j")));
    headers.put("a long value", List.of(new Header("X-Long", "v".repeat(8 * 1024))));
    headers.put(
        "two hundred",
        IntStream.range(0, 200).mapToObj(i -> new Header("X-" + i % 50, "value " + i)).toList());
    return headers.entrySet().stream()
        .map(
            some ->
                comesBack(
                    some.getKey(),
                    Answer.success(200, Body.of("body")).withHeaders(some.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> comes_back_with_the_same_code() {
    return IntStream.of(0, -1, 200, 599, 70_000, Integer.MIN_VALUE, Integer.MAX_VALUE)
        .mapToObj(code -> comesBack("code " + code, Answer.success(code, Body.EMPTY)));
  }

  @TestFactory
  Stream<DynamicTest> comes_back_with_the_same_outcome() {
    return Stream.of(Outcome.values())
        .map(
            outcome ->
                comesBack(outcome.name(), new Answer(outcome, 200, List.of(), Body.of("body"))));
  }

  @Test
  void as_large_as_the_store_says_comes_back() {
    int largest = capabilities().maxAnswerBytes();
    assumeTrue(largest <= LARGEST_TRIED, "this store takes larger answers than tests build");
    Answer answer = Answer.success(200, full(new byte[largest]));
    finished(ID, answer);

    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, answer));
  }

  @Test
  void larger_than_the_store_says_is_refused_and_the_operation_still_runs() {
    int largest = capabilities().maxAnswerBytes();
    assumeTrue(largest <= LARGEST_TRIED, "this store takes larger answers than tests build");
    Answer tooLarge = Answer.success(200, full(new byte[largest + 1]));
    Lease lease = store.granted(request(ID));
    OperationRecord before = agedRecord(ID);

    assertThat(BlockingStore.outcome(() -> store.store().complete(lease, tooLarge, RETENTION)))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(store.found(ID)).isEqualTo(before);
    store.claim(request(ID), Busy.class);
    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  private DynamicTest comesBack(String name, Answer answer) {
    return dynamicTest(
        name,
        () -> {
          assumeFits(answer);
          finished(id(name), answer);

          assertThat(store.claim(request(id(name)))).isEqualTo(new Finished(ASKED, answer));
          assertThat(store.found(id(name)).answer()).isEqualTo(answer);
        });
  }

  private void assumeFits(Answer answer) {
    if (answer.body() instanceof Body.Full full) {
      int largest = capabilities().maxAnswerBytes();
      assumeTrue(full.bytes().size() <= largest, "this store takes at most " + largest + " bytes");
    }
  }

  private static Body full(byte[] bytes) {
    return new Body.Full(Bytes.wrap(bytes));
  }
}
