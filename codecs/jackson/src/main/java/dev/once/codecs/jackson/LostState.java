package dev.once.codecs.jackson;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether a value that is read again would lack something that it had. What a getter computes of
 * other fields does no harm, nor does a setter for what others set too; but if there is a field
 * more than Jackson writes and reads, and a property that it only writes or only reads, then that
 * is where the field's value went.
 */
final class LostState {

  private LostState() {}

  /** What would be lost; null if nothing is known to be. */
  static @Nullable String findError(Class<?> type, Set<String> written, Set<String> read) {
    Set<String> unread = without(written, read);
    Set<String> unwritten = without(read, written);
    if (unread.isEmpty() && unwritten.isEmpty()) {
      return null;
    }
    Set<String> lost = more(type, without(written, unread));
    if (lost.isEmpty()) {
      return null;
    }
    String what = "%s would lose its %s, because ".formatted(type.getName(), names(lost));
    return unread.isEmpty()
        ? what + "nothing writes %s; give that a getter".formatted(names(unwritten))
        : what
            + "nothing reads %s again; give that a setter or a parameter of the constructor, or the field its name"
                .formatted(names(unread));
  }

  /** What an argument has, and its JSON has not; null if nothing is known to be. */
  static @Nullable String unwritten(Class<?> type, Set<String> written, Set<String> read) {
    return without(read, written).isEmpty() || more(type, written).isEmpty()
        ? null
        : "nothing writes %s of %s".formatted(names(without(read, written)), type.getName());
  }

  /** Whether values of it could differ at all. */
  static boolean hasState(Class<?> type) {
    return !fields(type).isEmpty();
  }

  /** The fields that none of these properties can be about: they may have another name each. */
  private static Set<String> more(Class<?> type, Set<String> properties) {
    Set<String> fields = fields(type);
    int byOtherName = without(properties, fields).size();
    Set<String> more = without(fields, properties);
    return more.size() > byOtherName ? more : Set.of();
  }

  private static Set<String> without(Set<String> names, Set<String> others) {
    Set<String> rest = new TreeSet<>(names);
    rest.removeAll(others);
    return rest;
  }

  private static String names(Set<String> names) {
    return String.join(", ", names);
  }

  private static Set<String> fields(Class<?> type) {
    Set<String> names = new TreeSet<>();
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isStatic(modifiers)
            && !Modifier.isTransient(modifiers)
            && !field.isSynthetic()) {
          names.add(field.getName());
        }
      }
    }
    return names;
  }
}
