package dev.once.http.conformance.rules;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.Reply;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a replay of this server can be told from a second execution. This is learned before the rules
 * are checked, because an endpoint that always answers "OK" looks as if it replayed everything.
 *
 * @param answersDiffer whether two operations with the same payload got different answers
 * @param marker what tells a replay here; null unless the retry of a finished operation carried it,
 *     and first answers did not
 */
record ReplayDetection(boolean answersDiffer, @Nullable Header marker) {

  /** Whose result an answer shows. */
  enum ResultSource {
    /** The first request's. */
    FIRST,
    /** Another one: of a second execution, or a refusal. */
    OTHER,
    /** Nothing tells them apart. */
    UNKNOWN
  }

  /** An answer, and how many things were made meanwhile, if somebody counts. */
  record ObservedReply(Exchange exchange, OptionalLong effects) {

    int status() {
      return exchange.status();
    }

    Reply reply() {
      return exchange.reply();
    }

    /** Whether the count, if there is one, grew by this. */
    boolean grewBy(long wanted) {
      return effects.isEmpty() || effects.getAsLong() == wanted;
    }

    /** For people. */
    String growth() {
      return effects.isEmpty() ? "" : " (the count grew by " + effects.getAsLong() + ")";
    }
  }

  boolean replaysMarked() {
    return marker != null;
  }

  boolean marks(Reply reply) {
    return marker != null && reply.hasHeader(marker);
  }

  /** Whether {@code later} is the answer of {@code first} given again. */
  ResultSource compare(Reply first, ObservedReply later) {
    if (!later.reply().sameResult(first)) {
      return ResultSource.OTHER;
    }
    if (marks(later.reply())) {
      return ResultSource.FIRST;
    }
    if (later.effects().isPresent()) {
      return later.effects().getAsLong() == 0 ? ResultSource.FIRST : ResultSource.OTHER;
    }
    if (answersDiffer) {
      return ResultSource.FIRST;
    }
    return replaysMarked() ? ResultSource.OTHER : ResultSource.UNKNOWN;
  }

  /** Why nothing can be said. */
  static Finding notDetectable() {
    return Finding.notObserved("every answer looks the same; --count-url would show what was done");
  }
}
