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

  /**
   * Written with all there is, or, where that is not read as the same value, as the application
   * writes it: what it says of its times may have no room for zones, and its setters none for null.
   * So this is tried now, while nothing is lost. What a retry would get another value of, and
   * nobody would know, is not encodable.
   */
  @Override
  public byte[] encode(T value) {
    if (value == null) {
      return codecs.writeAsIs(null, type);
    }
    byte[] said = codecs.writeByClass(value);
    byte[] whole = whole(value, said);
    if (whole != null) {
      return whole;
    }
    byte[] own = codecs.writeAsIs(value, type);
    if (!isSame(value, again(value, own), said)
        && codecs.isSame(said, codecs.writeByClass(value))) { // or it is another each time
      throw new IllegalArgumentException(
          "a %s would be read again as another value (expected: one that is written as the same JSON again): something in it is of a subclass, or of a type that does not keep all of it; declare what it is"
              .formatted(value.getClass().getName()));
    }
    return own;
  }

  private byte @Nullable [] whole(Object value, byte[] said) {
    try {
      byte[] whole = codecs.writeWhole(value, type);
      Object again = again(value, whole);
      boolean same =
          isSame(value, again, said)
              || codecs.isSame(codecs.writeTimesByClass(value), codecs.writeTimesByClass(again));
      return same ? whole : null;
    } catch (RuntimeException e) {
      return null; // not for this type
    }
  }

  /** What a retry would get. */
  private Object again(Object value, byte[] json) {
    Object again;
    try {
      again = codecs.read(json, type);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "a %s cannot be read again from its JSON (expected: one that can)"
              .formatted(value.getClass().getName()),
          e);
    }
    Class<?> given = value.getClass();
    if (again == null || (bean != null && given != bean && given != again.getClass())) {
      throw new IllegalArgumentException(
          "%s would be read again as a %s (expected: a value of the declared type, or @JsonTypeInfo and @JsonSubTypes on it)"
              .formatted(given.getName(), again == null ? null : again.getClass().getName()));
    }
    return again;
  }

  /** The JDK's own values say it themselves; others by what the application writes of them. */
  private boolean isSame(Object value, Object again, byte[] said) {
    boolean plain = value instanceof Comparable<?> && value.getClass().getClassLoader() == null;
    return (plain && value.equals(again)) || codecs.isSame(said, codecs.writeByClass(again));
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // what Jackson reads as this type is of it, or null
  public T decode(byte[] json) {
    return (T) codecs.read(json, type);
  }
}
