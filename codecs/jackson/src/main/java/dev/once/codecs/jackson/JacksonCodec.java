package dev.once.codecs.jackson;

import dev.once.core.Codec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Values of one type, as JSON.
 *
 * @param bean the class, if it is one with properties
 */
record JacksonCodec<T extends @Nullable Object>(
    JacksonCodecs codecs, Type type, @Nullable Class<?> bean) implements Codec<T> {

  @Override
  public byte[] encode(T value) {
    byte[] json = codecs.writeResult(value, type);
    if (value != null && bean != null && value.getClass() != bean) {
      requireSameClass(value.getClass(), json);
    }
    return json;
  }

  /** A retry would be given a value of another class, and nobody would know. */
  private void requireSameClass(Class<?> given, byte[] json) {
    Object again = codecs.read(json, type);
    if (again == null || again.getClass() != given) {
      throw new IllegalArgumentException(
          "%s would be read again as a %s (expected: a value of the declared type, or @JsonTypeInfo and @JsonSubTypes on it)"
              .formatted(given.getName(), again == null ? null : again.getClass().getName()));
    }
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // what Jackson reads as this type is of it, or null
  public T decode(byte[] json) {
    return (T) codecs.read(json, type);
  }
}
