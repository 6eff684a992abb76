package dev.once.faults;

import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One thing that a client or a handler saw. It has a line of text, in which a process tells it to
 * another.
 *
 * @param nanos when, by the machine's monotonic clock, which all its processes share
 * @param process which engine
 * @param call which call to {@code Once.run}; the events of one call have the same
 * @param key which operation
 * @param fence of a handler; else 0
 * @param text the answer, or the reason of a refusal
 */
record Event(
    long nanos, Kind kind, String process, String call, String key, long fence, String text) {

  static final Comparator<Event> BY_TIME = Comparator.comparingLong(Event::nanos);

  /** What was seen. */
  enum Kind {
    /** A client is about to call. */
    INVOKED,
    /** The handler begins to run; the text is the answer that it will give. */
    RAN,
    /** The client was given the answer of this run, which is recorded. */
    EXECUTED,
    /** The client was given the answer of this run, which is not recorded. */
    UNRECORDED,
    /** The client was given a recorded answer. */
    REPLAYED,
    /** The client was refused. */
    REFUSED,
    /** The client was given an exception. */
    FAILED,
    /** A person is about to release the key by hand, as the answer with this fence was seen. */
    RELEASING,
    /** Whether that was done; the text is "true", or "false", or "unknown" if the store failed. */
    RELEASED
  }

  /** The text of a call that wants something else with the same key. */
  static final String OTHER = "other";

  private static final String SEPARATOR = "\t";

  /** Whether its call is over. */
  boolean isEnd() {
    return kind != Kind.INVOKED && kind != Kind.RAN && kind != Kind.RELEASING;
  }

  /** Whether it is an answer that a retry must get too. */
  boolean isAnswer() {
    return kind == Kind.EXECUTED || kind == Kind.REPLAYED;
  }

  /** The same, with its texts replaced by equal ones. */
  Event sharing(UnaryOperator<String> texts) {
    return new Event(
        nanos,
        kind,
        texts.apply(process),
        texts.apply(call),
        texts.apply(key),
        fence,
        texts.apply(text));
  }

  String line() {
    return String.join(
        SEPARATOR,
        "" + nanos,
        kind.name(),
        process,
        call,
        key,
        "" + fence,
        text.lines().findFirst().orElse(""));
  }

  static Event parse(String line) {
    List<String> parts = List.of(line.split(SEPARATOR, 7));
    return new Event(
        Long.parseLong(parts.get(0)),
        Kind.valueOf(parts.get(1)),
        parts.get(2),
        parts.get(3),
        parts.get(4),
        Long.parseLong(parts.get(5)),
        parts.get(6));
  }
}
