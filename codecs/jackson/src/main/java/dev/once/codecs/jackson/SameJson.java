package dev.once.codecs.jackson;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether two JSON texts say the same. Numbers count by their value: what is declared as an Object
 * is written as 10.50 and read as 10.5. Order does not count: a set may be read in another one. Nor
 * does it count which of the JDK's collections it is, where the mapper writes names of classes; nor
 * whether a member is null or not there, which Jackson itself takes for the same.
 */
final class SameJson {

  private static final String OF_THE_JDK = "java.util.";

  private SameJson() {}

  /** Of what was read as maps, lists, texts and numbers. */
  static boolean is(@Nullable Object one, @Nullable Object other) {
    return text(one).equals(text(other));
  }

  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .filter(entry -> entry.getValue() != null)
          .map(entry -> text(entry.getKey()) + ":" + text(entry.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(SameJson::text).sorted().collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Number number) {
      return new BigDecimal(number.toString()).stripTrailingZeros().toString();
    }
    if (value instanceof String text && text.startsWith(OF_THE_JDK)) {
      return OF_THE_JDK;
    }
    return value instanceof String text
        ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
        : String.valueOf(value);
  }
}
