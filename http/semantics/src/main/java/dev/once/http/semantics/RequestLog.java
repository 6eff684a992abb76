package dev.once.http.semantics;

import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Refusal;
import dev.once.core.Result;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what becomes of requests to the log: a missing or bad key as a warning, duplicates and
 * recorded answers as information, a store that fails as an error. Keys are masked.
 */
public final class RequestLog implements Observer {

  private static final Logger log = LoggerFactory.getLogger("dev.once.requests");
  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");
  private static final int LONGEST = 200;

  @Override
  public void turnedAway(RequestHead head, Refusal refusal) {
    log.warn("{} {}: {}", refusal.reason(), describe(head), refusal.detail());
  }

  @Override
  public void begun(ProtectedRequest request, Begun begun) {
    if (begun instanceof Begun.Replay replay) {
      info("replayed", request, String.valueOf(replay.answer().code()));
    } else if (begun instanceof Begun.Refuse refuse) {
      refused(request, refuse.refusal());
    } else if (begun instanceof Begun.Proceed proceed) {
      started(request, proceed.execution());
    }
  }

  private static void started(ProtectedRequest request, Execution execution) {
    if (!execution.isProtected()) {
      log.error("UNPROTECTED {}: the store failed", describe(request));
    } else if (execution.attempt() > 1) {
      log.warn("again {}: attempt {}", describe(request), execution.attempt());
    }
  }

  @Override
  public void ended(ProtectedRequest request, Result result) {
    if (result instanceof Result.Executed executed) {
      String how = executed.recorded() ? "recorded" : "not recorded";
      info(how, request, String.valueOf(executed.answer().code()));
    } else if (result instanceof Result.Refused refused) {
      refused(request, refused.refusal());
    }
  }

  @Override
  public void unanswered(ProtectedRequest request, boolean released) {
    log.warn("no answer {}: {}", describe(request), released ? "key released" : "key stays taken");
  }

  private static void refused(ProtectedRequest request, Refusal refusal) {
    switch (refusal.reason()) {
      case BUSY, MISMATCH -> info(refusal.reason().name(), request, refusal.detail());
      case STORE_DOWN, OVER_QUOTA, OUTCOME_UNKNOWN ->
          log.error("{} {}: {}", refusal.reason(), describe(request), refusal.detail());
      default -> log.warn("{} {}: {}", refusal.reason(), describe(request), refusal.detail());
    }
  }

  private static void info(String event, ProtectedRequest request, String detail) {
    if (log.isInfoEnabled()) {
      log.info("{} {}: {}", event, describe(request), detail);
    }
  }

  private static String describe(ProtectedRequest request) {
    return request.key().masked() + " " + describe(request.head());
  }

  private static String describe(RequestHead head) {
    return "%s %s from %s (%s)"
        .formatted(
            head.method(),
            printable(head.path()),
            head.client(),
            printable(String.valueOf(head.header("User-Agent"))));
  }

  /** Nothing that a client sends may forge a line. */
  private static String printable(String text) {
    String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    return UNPRINTABLE.matcher(shown).replaceAll("?");
  }
}
