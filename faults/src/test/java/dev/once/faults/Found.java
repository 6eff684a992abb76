package dev.once.faults;

import java.util.Map;

/**
 * What the store had in the end.
 *
 * @param records by key; a key without a record is left out
 * @param from when the first was looked for, after all clients had ended
 * @param until when the last was
 */
record Found(Map<String, Kept> records, long from, long until) {

  /** Right after the last event. */
  static Found after(History history, Map<String, Kept> records) {
    return new Found(records, history.end() + 1, history.end() + 1);
  }

  Kept of(String key) {
    return records.get(key);
  }
}
