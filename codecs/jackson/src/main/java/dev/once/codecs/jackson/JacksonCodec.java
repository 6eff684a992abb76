package dev.once.codecs.jackson;

import dev.once.core.Codec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Values of one type, as JSON. */
record JacksonCodec<T extends @Nullable Object>(JacksonCodecs codecs, Type type)
    implements Codec<T> {

  @Override
  public byte[] encode(T value) {
    return codecs.writeResult(value, type);
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // what Jackson reads as this type is of it, or null
  public T decode(byte[] json) {
    return (T) codecs.read(json, type);
  }
}
