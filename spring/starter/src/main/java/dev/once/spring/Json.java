package dev.once.spring;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Arguments and results as JSON, by whichever Jackson the application has. */
interface Json {

  /** As the application writes it. */
  byte[] write(@Nullable Object value);

  /** As {@link #write}, but times are texts that have their offset and zone. */
  byte[] writeWithZones(@Nullable Object value);

  @Nullable Object read(byte[] json, Type type);

  /** Why values of this type cannot be written and read again; null if they can. */
  @Nullable String complaint(Type type);

  /**
   * A result, to be read again as the same value, and not only with times of the same instant.
   *
   * <p>What the application says of a time (a pattern, a serializer, a time zone to write a pattern
   * in) is stronger, and zones may not fit it. So they are tried now, while nothing is lost: unless
   * the text with zones is read as what the application's own text is, apart from the zones, the
   * latter is recorded.
   */
  default byte[] writeResult(@Nullable Object value, Type type) {
    byte[] own = write(value);
    try {
      byte[] withZones = writeWithZones(value);
      if (!Arrays.equals(withZones, own)
          && parts(write(read(withZones, type))).equals(parts(write(read(own, type))))) {
        return withZones;
      }
    } catch (RuntimeException e) {
      return own; // zones do not fit
    }
    return own;
  }

  /** What it says, in no order: that of a set is another one if zones are part of the hash. */
  private static List<String> parts(byte[] json) {
    return Stream.of(new String(json, StandardCharsets.UTF_8).split("[,\\[\\]{}\\s]+", -1))
        .sorted()
        .toList();
  }
}
