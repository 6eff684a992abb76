package dev.once.codecs.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.RefusedException;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which types are taken: those of which a retry gets the value that the first caller got. All
 * others are refused before anything runs.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FitTypesTest {

  private static final JacksonCodecs THREE = new Jackson3Codecs();
  private static final JacksonCodecs TWO = new Jackson2Codecs();

  /** A program with jackson-databind and nothing else. */
  private static final JacksonCodecs BARE_TWO = new Jackson2Codecs(JsonMapper.builder().build());

  record ReadOnly(@JsonProperty(access = Access.READ_ONLY) String id, int amount) {}

  record WriteOnly(@JsonProperty(access = Access.WRITE_ONLY) String id, int amount) {}

  record Around(List<ReadOnly> parts) {}

  /** Its accessor is not a getter, as those of records. */
  static final class NoGetter {
    private final String id;
    private final int amount;

    @JsonCreator
    NoGetter(@JsonProperty("id") String id, @JsonProperty("amount") int amount) {
      this.id = id;
      this.amount = amount;
    }

    String id() {
      return id;
    }

    public int getAmount() {
      return amount;
    }
  }

  static final class SetterOnly {
    private String secret = "";
    public int amount;

    public void setCode(String code) {
      secret = code;
    }

    @Override
    public String toString() {
      return secret;
    }
  }

  /** Written as a text, and read as an object. */
  record Price(String currency, long cents) {
    @JsonValue
    String text() {
      return currency + " " + cents;
    }
  }

  record Priced(String id, Price price) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  interface Means {}

  /** Nothing says that it is one of the means: it is written by a name that nobody can read. */
  record Card(String number) implements Means {}

  record PaidBy(Means means) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(Unread.class))
  interface Event {}

  record Unread(ReadOnly part) implements Event {}

  record Happened(List<Event> events) {}

  static Stream<Arguments> unfit() {
    return Stream.of(THREE, TWO, BARE_TWO)
        .flatMap(
            codecs ->
                Stream.of(
                    arguments(codecs, ReadOnly.class, "would lose its id"),
                    arguments(codecs, WriteOnly.class, "would lose its id"),
                    arguments(codecs, Around.class, "would lose its id"),
                    arguments(codecs, NoGetter.class, "would lose its id"),
                    arguments(codecs, SetterOnly.class, "would lose its secret"),
                    arguments(codecs, Price.class, "@JsonValue"),
                    arguments(codecs, Priced.class, "@JsonValue"),
                    arguments(codecs, Means.class, "@JsonSubTypes"),
                    arguments(codecs, PaidBy.class, "@JsonSubTypes"),
                    arguments(codecs, Happened.class, "would lose its id")));
  }

  @ParameterizedTest
  @MethodSource("unfit")
  void a_type_of_which_a_retry_would_get_no_value_or_another_one_is_refused(
      JacksonCodecs codecs, Class<?> type, String why) {
    assertThat(codecs.findError(type)).contains(why);
  }

  record Stamped(String id, Instant at) {}

  record Maybe(String id, Optional<String> note) {}

  record Notes(List<Optional<String>> notes) {}

  /** What it computes can be read without, but not written. */
  record Noted(@Nullable String note) {
    @JsonProperty
    Optional<String> maybe() {
      return Optional.ofNullable(note);
    }
  }

  static Stream<Arguments> unfitWithoutModule() {
    return Stream.of(
        arguments(BARE_TWO, Stamped.class, "java.time.Instant"),
        arguments(BARE_TWO, Maybe.class, "java.util.Optional"),
        arguments(BARE_TWO, Notes.class, "java.util.Optional"),
        arguments(BARE_TWO, Noted.class, "java.util.Optional"),
        arguments(TWO, Maybe.class, "java.util.Optional"));
  }

  @ParameterizedTest
  @MethodSource("unfitWithoutModule")
  void a_type_whose_module_is_not_there_is_refused(
      JacksonCodecs codecs, Class<?> type, String why) {
    assertThat(codecs.findError(type)).contains(why);
  }

  record Computing(int amount) {
    public int getTwice() {
      return 2 * amount;
    }
  }

  record Renamed(@JsonProperty("pan") String number) {}

  record Id(@JsonValue String value) {}

  record Count(@JsonValue long value) {}

  record Text(String currency, long cents) {
    @JsonValue
    String text() {
      return currency + " " + cents;
    }

    @JsonCreator
    static Text of(String text) {
      String[] parts = text.split(" ", -1);
      return new Text(parts[0], Long.parseLong(parts[1]));
    }
  }

  record AsMap(String currency, long cents) {
    @JsonValue
    Map<String, Object> map() {
      return Map.of("currency", currency, "cents", cents);
    }
  }

  record Delegating(String currency, long cents) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Delegating of(Map<String, Object> map) {
      return new Delegating(
          map.get("currency").toString(), ((Number) map.get("cents")).longValue());
    }
  }

  record Ids(List<Id> ids, Text text) {}

  record Unwrapped(int amount, @JsonUnwrapped Renamed inner) {}

  record Any(String id, @JsonAnyGetter @JsonAnySetter Map<String, String> other) {}

  record Ignored(String id, @JsonIgnore @Nullable String cache) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
  interface Shape {}

  record Circle(int radius) implements Shape {}

  record Square(int side) implements Shape {}

  record Drawing(List<Shape> shapes, Shape first) {}

  record OwnForm(
      @com.fasterxml.jackson.databind.annotation.JsonDeserialize(using = Form.Two.class)
          @com.fasterxml.jackson.databind.annotation.JsonSerialize(
              using = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class)
          Instant at) {}

  static final class Form {
    static final class Two
        extends com.fasterxml.jackson.databind.deser.std.StdDeserializer<Instant> {
      private static final long serialVersionUID = 1;

      Two() {
        super(Instant.class);
      }

      @Override
      public Instant deserialize(
          com.fasterxml.jackson.core.JsonParser parser,
          com.fasterxml.jackson.databind.DeserializationContext context)
          throws java.io.IOException {
        return Instant.parse(parser.getText());
      }
    }
  }

  /** Its factory gives a class of its own. */
  abstract static class Made {
    @JsonProperty("amount")
    abstract int amount();

    @JsonCreator
    static Made of(@JsonProperty("amount") int amount) {
      return new Of(amount);
    }

    private static final class Of extends Made {
      private final int amount;

      Of(int amount) {
        this.amount = amount;
      }

      @Override
      int amount() {
        return amount;
      }

      @Override
      public boolean equals(@Nullable Object other) {
        return other instanceof Of of && of.amount == amount;
      }

      @Override
      public int hashCode() {
        return amount;
      }
    }
  }

  enum Color {
    RED;

    @JsonValue
    String code() {
      return "r";
    }
  }

  record Painted(Color color, Map<Color, Integer> coats) {}

  /** Whatever class it is: its name is in the JSON. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface Named {}

  record Someone(String name) implements Named {}

  record Guests(List<Named> guests) {}

  /** One of the two may be made of the other. */
  static class Person {
    public String first = "";
    public String last = "";

    public void setName(String name) {
      first = name.substring(0, name.indexOf(' '));
      last = name.substring(name.indexOf(' ') + 1);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Person person
          && person.first.equals(first)
          && person.last.equals(last);
    }

    @Override
    public int hashCode() {
      return first.hashCode();
    }
  }

  static class Tree {
    @JsonManagedReference public List<Leaf> leaves = List.of();

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Tree tree && tree.leaves.size() == leaves.size();
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  static class Leaf {
    @JsonBackReference public @Nullable Tree tree;
    public int number;
  }

  private static Tree tree() {
    Tree tree = new Tree();
    Leaf leaf = new Leaf();
    leaf.tree = tree;
    tree.leaves = List.of(leaf);
    return tree;
  }

  record Anything(Object value, Map<String, Object> more) {}

  static Stream<Arguments> fit() {
    return Stream.concat(
        Stream.of(arguments(BARE_TWO, OwnForm.class, new OwnForm(Instant.EPOCH))),
        Stream.of(THREE, TWO, BARE_TWO)
            .flatMap(
                codecs ->
                    Stream.of(
                            new Computing(1),
                            new Renamed("4242"),
                            new Id("a"),
                            new Count(5),
                            new Text("EUR", 5),
                            new AsMap("EUR", 5),
                            new Delegating("EUR", 5),
                            new Ids(List.of(new Id("a")), new Text("EUR", 5)),
                            new Unwrapped(1, new Renamed("4242")),
                            new Any("1", Map.of("a", "b")),
                            new Ignored("1", null),
                            new Painted(Color.RED, Map.of(Color.RED, 2)),
                            new Guests(List.of(new Someone("a"))),
                            new Someone("a"),
                            new Person(),
                            tree(),
                            new Anything("a", Map.of("b", 1)),
                            new Drawing(List.of(new Circle(1), new Square(2)), new Circle(3)))
                        .map(value -> arguments(codecs, value.getClass(), value))));
  }

  @ParameterizedTest
  @MethodSource("fit")
  void a_value_of_a_type_that_is_taken_comes_back_equal(
      JacksonCodecs codecs, Class<?> type, Object value) {
    Codec<Object> codec = codecs.of((java.lang.reflect.Type) type);
    assertThat(codec.decode(codec.encode(value))).isEqualTo(value);
  }

  static Stream<JacksonCodecs> both() {
    return Stream.of(THREE, TWO);
  }

  @ParameterizedTest
  @MethodSource("both")
  void a_value_of_a_declared_subtype_comes_back_as_that(JacksonCodecs codecs) {
    Codec<Shape> codec = codecs.of(Shape.class);
    assertThat(codec.decode(codec.encode(new Circle(1)))).isEqualTo(new Circle(1));
  }

  static Stream<Codec<List<Shape>>> ofShapes() {
    return Stream.of(
        new Jackson3Codecs().of(new tools.jackson.core.type.TypeReference<List<Shape>>() {}),
        new Jackson2Codecs()
            .of(new com.fasterxml.jackson.core.type.TypeReference<List<Shape>>() {}));
  }

  /** Of which a list itself does not know, once it is compiled. */
  @ParameterizedTest
  @MethodSource("ofShapes")
  void a_list_of_declared_subtypes_comes_back_equal(Codec<List<Shape>> codec) {
    List<Shape> shapes = List.of(new Circle(1), new Square(2));
    assertThat(codec.decode(codec.encode(shapes))).isEqualTo(shapes);
  }

  @ParameterizedTest
  @MethodSource("both")
  void a_value_of_the_class_that_is_made_again_comes_back_as_that(JacksonCodecs codecs) {
    Codec<Made> codec = codecs.of(Made.class);
    assertThat(codec.decode(codec.encode(Made.of(1)))).isEqualTo(Made.of(1));
  }

  static class Parent {
    public int amount;
  }

  static class Child extends Parent {
    public int more = 1;
  }

  /** A retry would be given a parent, and nobody would know. */
  @ParameterizedTest
  @MethodSource("both")
  void a_value_of_another_subclass_is_told_to_who_ran_it(JacksonCodecs codecs) {
    Child child = new Child();
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      Codec<Parent> codec = codecs.of(Parent.class);
      Operation operation = Operation.of(Scope.GLOBAL, "key", "pay 10");
      assertThatThrownBy(() -> once.call(operation, codec, () -> child))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.unrecordedValue()).isSameAs(child))
          .hasRootCauseMessage(
              "%s would be read again as a %s (expected: a value of the declared type, or @JsonTypeInfo and @JsonSubTypes on it)"
                  .formatted(Child.class.getName(), Parent.class.getName()));
    }
  }

  /** Has an accessor, and no getter. */
  static final class Money {
    private final long cents;

    Money(long cents) {
      this.cents = cents;
    }

    long cents() {
      return cents;
    }
  }

  interface Payable {
    Money money();
  }

  record Order(List<Money> prices) {}

  static Stream<Arguments> omitting() {
    return Stream.of(THREE, TWO, BARE_TWO)
        .flatMap(
            codecs ->
                Stream.of(
                    arguments(codecs, Money.class, "nothing that Jackson would write"),
                    arguments(codecs, Order.class, "nothing that Jackson would write"),
                    arguments(codecs, WriteOnly.class, "nothing writes id of"),
                    arguments(codecs, NoGetter.class, "nothing writes id of"),
                    arguments(codecs, WriteOnly[].class, "nothing writes id of")));
  }

  @ParameterizedTest
  @MethodSource("omitting")
  void a_type_whose_json_leaves_out_what_tells_two_values_apart_is_known(
      JacksonCodecs codecs, Class<?> type, String what) {
    assertThat(codecs.omission(type)).contains(what);
  }

  static Stream<Arguments> whole() {
    return Stream.of(THREE, TWO, BARE_TWO)
        .flatMap(
            codecs ->
                Stream.concat(
                        fit().map(of -> (Class<?>) of.get()[1]),
                        Stream.of(
                            ReadOnly.class,
                            Price.class,
                            Payable.class,
                            Object.class,
                            Runnable.class,
                            String.class,
                            byte[].class,
                            Exception.class,
                            Instant.class))
                    .distinct()
                    .map(type -> arguments(codecs, type)));
  }

  @ParameterizedTest
  @MethodSource("whole")
  void a_type_whose_json_has_all_of_it_or_whose_values_decide_leaves_out_nothing(
      JacksonCodecs codecs, Class<?> type) {
    assertThat(codecs.omission(type)).isNull();
  }

  @ParameterizedTest
  @MethodSource("both")
  void a_part_of_which_nothing_would_be_written_is_no_part_of_a_fingerprint(JacksonCodecs codecs) {
    assertThatThrownBy(() -> codecs.write(Map.of("money", new Money(1))))
        .hasMessageContaining("FAIL_ON_EMPTY_BEANS");
  }
}
