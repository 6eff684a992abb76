package dev.once.codecs.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Codec;
import dev.once.core.NotReplayableException;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.RefusedException;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds of both Jacksons. */
@DisplayNameGeneration(ReplaceUnderscores.class)
abstract class CodecsContract {

  private static final ZonedDateTime PARIS =
      ZonedDateTime.parse("2026-07-01T10:00:00+02:00[Europe/Paris]");

  /** With default settings. */
  abstract JacksonCodecs codecs();

  /** Whose mapper writes times as numbers. */
  abstract JacksonCodecs withTimestamps();

  abstract Codec<Map<String, List<Receipt>>> generic();

  record Receipt(int number, BigDecimal amount) {}

  record Times(OffsetDateTime at, ZonedDateTime there) {}

  /** What only a getter gives is lost when it is read. */
  static class Lossy {
    private final String secret = "kept nowhere";

    public String getShown() {
      return secret;
    }
  }

  interface Shape {}

  static class Node {
    public @Nullable Node self;
  }

  private static <T> T again(Codec<T> codec, T value) {
    return codec.decode(codec.encode(value));
  }

  @Test
  void a_record_comes_back_equal() {
    record Payment(int number, BigDecimal amount) {}
    Payment payment = new Payment(1, new BigDecimal("10.50"));
    assertThat(again(codecs().of(Payment.class), payment)).isEqualTo(payment);
  }

  @Test
  void a_generic_type_comes_back_equal() {
    record Line(String text) {}
    Codec<List<Line>> codec = codecs().of(listOf(Line.class));
    assertThat(again(codec, List.of(new Line("a"), new Line("b"))))
        .containsExactly(new Line("a"), new Line("b"));
  }

  private static Type listOf(Class<?> element) {
    return new java.lang.reflect.ParameterizedType() {
      @Override
      public Type[] getActualTypeArguments() {
        return new Type[] {element};
      }

      @Override
      public Type getRawType() {
        return List.class;
      }

      @Override
      public @Nullable Type getOwnerType() {
        return null;
      }
    };
  }

  @Test
  void the_type_reference_of_that_jackson_says_a_generic_type() {
    Map<String, List<Receipt>> value = Map.of("a", List.of(new Receipt(1, BigDecimal.TEN)));
    assertThat(again(generic(), value)).isEqualTo(value);
  }

  @Test
  void null_comes_back_as_null() {
    assertThat(again(codecs().of(String.class), null)).isNull();
  }

  @Test
  void times_keep_their_offset_and_zone() {
    Times times = new Times(PARIS.toOffsetDateTime(), PARIS);
    assertThat(again(codecs().of(Times.class), times)).isEqualTo(times);
  }

  @Test
  void times_keep_their_offset_and_zone_where_the_mapper_writes_timestamps() {
    Times times = new Times(PARIS.toOffsetDateTime(), PARIS);
    assertThat(again(withTimestamps().of(Times.class), times)).isEqualTo(times);
  }

  /** Which has another order without the zones: they are part of the hash. */
  @Test
  void times_keep_their_zone_in_a_set() {
    record Clocks(Set<ZonedDateTime> times) {}
    Clocks clocks =
        new Clocks(IntStream.range(0, 24).mapToObj(PARIS::plusHours).collect(Collectors.toSet()));
    assertThat(again(codecs().of(Clocks.class), clocks)).isEqualTo(clocks);
  }

  @Test
  void what_a_later_version_wrote_more_of_is_read() {
    record Older(int number) {}
    byte[] json = "{\"number\":1,\"added\":true}".getBytes(StandardCharsets.UTF_8);
    assertThat(codecs().of(Older.class).decode(json)).isEqualTo(new Older(1));
  }

  @ParameterizedTest
  @ValueSource(classes = {Object.class, InputStream.class, Shape.class, Lossy.class})
  void a_type_that_cannot_be_read_again_is_refused_when_its_codec_is_made(Class<?> type) {
    assertThatThrownBy(() -> codecs().of(type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "type: " + type.getName() + " (expected: one that Jackson can write and read again): ");
  }

  @Test
  void a_call_gives_the_recorded_value_again() throws Exception {
    record Paid(int number) {}
    Codec<Paid> codec = codecs().of(Paid.class);
    Operation operation = Operation.of(Scope.GLOBAL, "key", "pay 10");
    AtomicInteger runs = new AtomicInteger();
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      for (int i = 0; i < 2; i++) {
        assertThat(once.call(operation, codec, () -> new Paid(runs.incrementAndGet())))
            .isEqualTo(new Paid(1));
      }
    }
  }

  @Test
  void a_value_that_jackson_cannot_write_is_told_to_who_ran_it() {
    Node node = new Node();
    node.self = node;
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      Codec<Node> codec = codecs().of(Node.class);
      Operation operation = Operation.of(Scope.GLOBAL, "key", "pay 10");
      assertThatThrownBy(() -> once.call(operation, codec, () -> node))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.unrecordedValue()).isSameAs(node));
    }
  }

  @Test
  void a_record_of_another_type_is_not_replayed() throws Exception {
    record Numbered(int number) {}
    Operation operation = Operation.of(Scope.GLOBAL, "key", "pay 10");
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      once.call(operation, Codec.text(), () -> "not JSON");
      assertThatThrownBy(
              () -> once.call(operation, codecs().of(Numbered.class), () -> new Numbered(1)))
          .isInstanceOf(NotReplayableException.class);
    }
  }
}
