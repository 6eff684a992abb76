package dev.once.codecs.jackson;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a value that is read again would lack something that it had. What a getter computes of
 * other fields does no harm; but if there is a field more than Jackson reads, and a property that
 * it writes and does not read, then that is where the field's value went.
 */
final class LostState {

  private LostState() {}

  /** What would be lost; null if nothing is known to be. */
  static @Nullable String complaint(Class<?> type, Set<String> written, Set<String> read) {
    Set<String> unread = new HashSet<>(written);
    unread.removeAll(read);
    if (unread.isEmpty() || type.isRecord()) {
      return null;
    }
    Set<String> fields = fields(type);
    Set<String> readByOtherName = new HashSet<>(read);
    readByOtherName.removeAll(fields);
    fields.removeAll(read);
    return fields.size() <= readByOtherName.size()
        ? null
        : "%s would lose its %s, because nothing reads %s again; give that a setter or a parameter of the constructor, or the field its name"
            .formatted(type.getName(), String.join(", ", fields), String.join(", ", unread));
  }

  private static Set<String> fields(Class<?> type) {
    Set<String> names = new HashSet<>();
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
