package dev.once.spring.method;

import dev.once.core.Key;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The text of a key. What says nothing but where it is in memory ({@code [B@1b6d3586}) would be a
 * new key with each call, also within the text of something else: a record, a list, what an
 * expression puts together.
 */
final class KeyText {

  /**
   * As {@link Object#toString} writes it: the name of a class, and a hash. Each sign is read once.
   */
  private static final Pattern IN_MEMORY =
      Pattern.compile(
          "(?<![\\p{javaJavaIdentifierPart}.])(\\[(?:[BCDFIJSZ]|L[^;@\\[]++;)"
              + "|[\\p{javaJavaIdentifierPart}.]++(?:/0x[0-9a-f]++)?)"
              + "@[0-9a-f]{1,8}(?![\\p{javaJavaIdentifierPart}.])");

  /** How much an expression may put before a name without a sign between them. */
  private static final int LONGEST_PREFIX = 50;

  private KeyText() {}

  /**
   * The text of a value; empty if it is null, or an optional of nothing.
   *
   * @param what whose text it is, for the message
   * @param classes where classes are looked for that a text may name
   * @throws IllegalArgumentException if the text is not its content
   */
  static String of(String what, @Nullable Object value, ClassLoader classes) {
    Object plain = plain(value);
    if (plain == null) {
      return "";
    }
    String type = plain.getClass().getTypeName();
    if (plain.getClass().isArray() || hasNoText(plain)) {
      throw notContent(what, type);
    }
    String text = plain.toString();
    if (text.length() > Key.MAX_BYTES) {
      return text; // no key is that long
    }
    for (Matcher found = IN_MEMORY.matcher(text); found.find(); ) {
      if (isClass(found.group(1), classes)) {
        throw notContent(what, type + " with " + found.group());
      }
    }
    return text;
  }

  private static IllegalArgumentException notContent(String what, String type) {
    return new IllegalArgumentException(
        "%s is a %s, whose text is not its content (expected: a text, a number, a UUID,"
                .formatted(what, type)
            + " or another type with a toString of its own); name a property of it");
  }

  /** Of an optional, what is in it: the text of an empty one would be a key that all share. */
  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Optional<?> optional) {
      return plain(optional.orElse(null));
    }
    if (value instanceof OptionalInt number) {
      return number.isPresent() ? number.getAsInt() : null;
    }
    if (value instanceof OptionalLong number) {
      return number.isPresent() ? number.getAsLong() : null;
    }
    if (value instanceof OptionalDouble number) {
      return number.isPresent() ? number.getAsDouble() : null;
    }
    return value;
  }

  private static boolean hasNoText(Object value) {
    Method toString = ReflectionUtils.findMethod(value.getClass(), "toString");
    return toString == null || toString.getDeclaringClass() == Object.class;
  }

  /** An array's name, a lambda's, or that of a class there is: {@code bob@cafe} is nobody's. */
  private static boolean isClass(String name, ClassLoader classes) {
    if (name.startsWith("[") || name.contains("$$Lambda")) {
      return true;
    }
    int last = Math.min(name.lastIndexOf('.'), LONGEST_PREFIX);
    for (int start = 0; start == 0 || start < last; start++) {
      if (Character.isJavaIdentifierStart(name.charAt(start))
          && exists(name.substring(start), classes)) {
        return true;
      }
    }
    return false;
  }

  /** By its file: a class loader remembers each name that it was asked for, and clients choose. */
  private static boolean exists(String name, ClassLoader classes) {
    return classes.getResource(name.replace('.', '/') + ".class") != null;
  }
}
