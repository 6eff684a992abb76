package dev.once.spring;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Results as JSON, by whichever Jackson the application has. */
interface Json {

  byte[] write(@Nullable Object value);

  @Nullable Object read(byte[] json, Type type);

  /** Why values of this type cannot be written and read again; null if they can. */
  @Nullable String complaint(Type type);
}
