package dev.once.stores.tiered;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map that keeps only its latest entries. A lost entry costs speed only; a process with many
 * operations that never end must not grow for ever.
 */
final class BoundedMap<K, V> {

  private final LinkedHashMap<K, V> values;

  BoundedMap(int atMost) {
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
