package dev.once.codecs.jackson;

import dev.once.core.Codec;
import java.lang.reflect.Type;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes codecs that record values as JSON, by Jackson 2 or 3. Thread-safe.
 *
 * <pre>{@code
 * Codec<Receipt> receipts = JacksonCodecs.create().of(Receipt.class);
 * }</pre>
 *
 * <p>{@link Jackson2Codecs} and {@link Jackson3Codecs} do it with a mapper of your own. They are
 * two classes, so that who has one Jackson does not need the other.
 */
public abstract class JacksonCodecs {

  JacksonCodecs() {}

  /**
   * By the Jackson that is there, 3 before 2, with its default settings; Jackson 2 also takes the
   * modules that are there, such as the one for {@code java.time}.
   *
   * @throws IllegalStateException if there is none
   */
  public static JacksonCodecs create() {
    if (isPresent("tools.jackson.databind.json.JsonMapper")) {
      return new Jackson3Codecs();
    }
    if (isPresent("com.fasterxml.jackson.databind.json.JsonMapper")) {
      return new Jackson2Codecs();
    }
    throw new IllegalStateException(
        "Jackson: not there (expected: tools.jackson.core:jackson-databind, or"
            + " com.fasterxml.jackson.core:jackson-databind); add one of them");
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, JacksonCodecs.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * A codec for values of this class.
   *
   * @throws IllegalArgumentException if they cannot be written and read again
   */
  public <T> Codec<T> of(Class<T> type) {
    return of((Type) type);
  }

  /**
   * A codec for values of this type, which may be generic; nothing checks that it is the {@code T}
   * of the codec. With a {@code TypeReference} of Jackson's that is checked.
   *
   * @throws IllegalArgumentException if they cannot be written and read again
   */
  public <T extends @Nullable Object> Codec<T> of(Type type) {
    String error = findError(type);
    if (error != null) {
      throw new IllegalArgumentException(
          "type: %s (expected: one that Jackson can write and read again): %s"
              .formatted(type.getTypeName(), error));
    }
    return new JacksonCodec<>(this, type, bean(type));
  }

  /** Why values of this type cannot be written and read again; null if they can. */
  public @Nullable String findError(Type type) {
    return type == Object.class ? "an Object would come back as a map" : unfit(type);
  }

  /**
   * What the JSON of values of this type leaves out, so that a fingerprint of it would not tell two
   * of them apart; null if nothing is known to be.
   */
  public abstract @Nullable String omission(Type type);

  /**
   * The value as the mapper writes it: what to make a fingerprint of.
   *
   * @throws RuntimeException if it cannot be written, or has a part of which nothing would be: two
   *     values that differ there would be the same
   */
  public abstract byte[] write(@Nullable Object value);

  /** As the mapper writes a value of which nothing is declared: whatever class each part is of. */
  abstract byte[] writeByClass(Object value);

  /** As {@link #writeByClass}, but times are texts: of a number with a fraction digits are lost. */
  abstract byte[] writeTimesByClass(Object value);

  /** As the mapper writes a value of this type, and no questions asked. */
  abstract byte[] writeAsIs(@Nullable Object value, Type type);

  /**
   * As {@link #writeAsIs}, but with all there is: times are texts that have their offset and zone,
   * and what is null, empty or a default is not left out.
   */
  abstract byte[] writeWhole(@Nullable Object value, Type type);

  abstract @Nullable Object read(byte[] json, Type type);

  abstract @Nullable String unfit(Type type);

  /** The class of a type that is an object with properties; null for collections and values. */
  abstract @Nullable Class<?> bean(Type type);

  /** Maps, lists, texts, and numbers with all their digits. */
  abstract @Nullable Object parts(byte[] json);

  /** Whether two texts of this mapper's say the same. */
  final boolean isSame(byte[] one, byte[] other) {
    return Arrays.equals(one, other) || SameJson.is(parts(one), parts(other));
  }
}
