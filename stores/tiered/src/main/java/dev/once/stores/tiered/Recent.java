package dev.once.stores.tiered;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last so many things that were put here. What is forgotten costs speed: a process that leaves
 * many operations without an end must not grow for ever.
 */
final class Recent<K, V> {

  private final LinkedHashMap<K, V> values;

  Recent(int atMost) {
    values =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > atMost;
          }
        };
  }

  synchronized void putIfAbsent(K key, V value) {
    values.putIfAbsent(key, value);
  }

  synchronized @Nullable V get(K key) {
    return values.get(key);
  }

  synchronized @Nullable V remove(K key) {
    return values.remove(key);
  }
}
