package dev.once.codecs.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** Whose mapper leaves out what is empty. */
  abstract JacksonCodecs withoutEmpty();

  /** Whose mapper writes the class of whatever is declared as an Object. */
  abstract JacksonCodecs withClassNames();

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

  // What a retry would get another value of.

  record Lines(@Nullable String id, List<String> notes, Map<String, String> more) {}

  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record NotEmpty(String id, List<String> notes) {}

  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  record NotDefault(String id, int count, @Nullable Integer more) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  static class Status {
    public @Nullable String status = "new";
  }

  @Test
  void what_the_mapper_leaves_out_when_empty_comes_back_equal() {
    Lines lines = new Lines("", List.of(), Map.of("a", ""));
    assertThat(again(withoutEmpty().of(Lines.class), lines)).isEqualTo(lines);
    Lines none = new Lines(null, List.of(""), Map.of());
    assertThat(again(withoutEmpty().of(Lines.class), none)).isEqualTo(none);
    assertThat(again(codecs().of(Lines.class), none)).isEqualTo(none);
  }

  @Test
  void what_an_annotation_leaves_out_comes_back_equal() {
    NotEmpty empty = new NotEmpty("", List.of());
    assertThat(again(codecs().of(NotEmpty.class), empty)).isEqualTo(empty);
    NotDefault zero = new NotDefault("", 0, 0);
    assertThat(again(codecs().of(NotDefault.class), zero)).isEqualTo(zero);
    Status status = new Status();
    status.status = null;
    assertThat(again(codecs().of(Status.class), status).status).isNull();
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  static class Strict {
    private @Nullable String note;
    public List<String> lines = List.of();

    public @Nullable String getNote() {
      return note;
    }

    public void setNote(String note) {
      this.note = Objects.requireNonNull(note);
    }
  }

  @Test
  void what_takes_no_null_is_recorded_as_the_mapper_writes_it() {
    Strict strict = new Strict();
    strict.lines = List.of("a");
    assertThat(again(codecs().of(Strict.class), strict).lines).containsExactly("a");
  }

  static class Base {
    public String a = "a";
  }

  static class Sub extends Base {
    public String b = "b";
  }

  record HasBase(Base base) {}

  record HasBases(List<Base> bases) {}

  record Raw(@JsonRawValue String json) {}

  private void assertNotEncoded(Type type, Object value, String why) {
    Codec<Object> codec = codecs().of(type);
    assertThatThrownBy(() -> codec.encode(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(value.getClass().getName())
        .hasMessageContaining(why);
  }

  @Test
  void a_subclass_within_that_would_come_back_as_its_parent_is_not_encoded() {
    assertNotEncoded(HasBase.class, new HasBase(new Sub()), "another value");
    assertNotEncoded(HasBases.class, new HasBases(List.of(new Base(), new Sub())), "another value");
    assertNotEncoded(listOf(Base.class), List.of(new Sub()), "another value");
    assertThat(again(codecs().of(HasBase.class), new HasBase(new Base())).base().a).isEqualTo("a");
  }

  @Test
  void what_cannot_be_read_again_is_not_encoded() {
    assertNotEncoded(Raw.class, new Raw("{\"a\":1}"), "cannot be read again");
  }

  record Anything(Map<String, Object> parts) {}

  @Test
  void a_number_that_is_read_as_another_one_is_not_encoded() {
    Anything precise = new Anything(Map.of("a", new BigDecimal("12345678901234567.89")));
    assertNotEncoded(Anything.class, precise, "another value");
  }

  @Test
  void what_is_declared_as_an_object_is_read_as_jackson_does() {
    Anything money = new Anything(Map.of("a", new BigDecimal("10.50"), "b", 1L, "c", PARIS));
    assertThat(again(codecs().of(Anything.class), money).parts())
        .containsEntry("a", 10.5)
        .containsEntry("b", 1);
  }

  @Test
  void a_time_with_a_fraction_within_an_object_is_read_as_jackson_does() {
    Instant time = Instant.parse("2026-11-18T17:28:02.614624746Z");
    Anything status = new Anything(Map.of("at", time));
    assertThat(again(codecs().of(Anything.class), status).parts()).containsKey("at");
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes(@JsonSubTypes.Type(value = Disc.class, name = "circle"))
  interface Figure {}

  record Disc(int radius) implements Figure {}

  record Page<T>(List<T> content, int total) {}

  /** What {@code new TypeReference<Page<Figure>>() {}} would say. */
  static Page<Figure> figures() {
    return new Page<>(List.of(new Disc(2)), 1);
  }

  @Test
  void what_is_in_a_generic_value_is_written_with_the_name_of_its_class() throws Exception {
    Type page = CodecsContract.class.getDeclaredMethod("figures").getGenericReturnType();
    assertThat(again(codecs().<Page<Figure>>of(page), figures())).isEqualTo(figures());
  }

  record Address(String street) {}

  static class Customer {
    public int id = 7;
    @JsonUnwrapped public Address address;
  }

  @Test
  void a_part_that_jackson_never_reads_as_null_does_not_cost_the_answer() {
    assertThat(again(codecs().of(Customer.class), new Customer()).id).isEqualTo(7);
  }

  @Test
  void a_collection_that_stands_alone_may_be_read_as_another_one() throws Exception {
    Type list = CodecsContract.class.getDeclaredMethod("objects").getGenericReturnType();
    assertThat(again(withClassNames().<List<Object>>of(list), objects())).isEqualTo(objects());
  }

  static List<Object> objects() {
    return List.of("a", 1);
  }

  @Test
  void which_of_the_jdks_collections_it_is_does_not_count() {
    Anything lists =
        new Anything(Map.of("a", List.of("b"), "c", Arrays.asList(1, 2), "d", Set.of()));
    assertThat(again(withClassNames().of(Anything.class), lists)).isEqualTo(lists);
  }

  /** It says nothing about what is kept. */
  record Ticking(int number) {
    private static final AtomicInteger TICKS = new AtomicInteger();

    public int getTick() {
      return TICKS.incrementAndGet();
    }
  }

  @Test
  void what_a_getter_computes_may_be_another_each_time() {
    assertThat(again(codecs().of(Ticking.class), new Ticking(1))).isEqualTo(new Ticking(1));
  }

  @Test
  void a_value_that_would_come_back_as_another_is_told_to_who_ran_it() {
    HasBase value = new HasBase(new Sub());
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      Codec<HasBase> codec = codecs().of(HasBase.class);
      Operation operation = Operation.of(Scope.GLOBAL, "key", "pay 10");
      assertThatThrownBy(() -> once.call(operation, codec, () -> value))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.unrecordedValue()).isSameAs(value));
    }
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
