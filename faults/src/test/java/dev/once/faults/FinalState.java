package dev.once.faults;

import java.util.Map;

/**
 * What the store had in the end.
 *
 * @param records by key; a key without a record is left out
 * @param from when the first was looked for, after all clients had ended
 * @param until when the last was
 */
record FinalState(Map<String, FinalRecord> records, long from, long until) {

  /** Right after the last event. */
  static FinalState after(History history, Map<String, FinalRecord> records) {
    return new FinalState(records, history.end() + 1, history.end() + 1);
  }

  FinalRecord of(String key) {
    return records.get(key);
  }
}
