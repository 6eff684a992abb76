package dev.once.http.semantics;

import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Refusal;
import dev.once.core.Result;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Writes what becomes of requests to the log: a missing or bad key as a warning, duplicates and
 * recorded answers as information, a store that fails as an error. Keys are masked.
 */
public final class RequestLog implements Observer {

  private static final Logger log = LoggerFactory.getLogger("dev.once.requests");

  @Override
  public void turnedAway(RequestHead head, Refusal refusal) {
    refused(refusal, RequestLine.of(head));
  }

  @Override
  public void begun(ProtectedRequest request, Begun begun) {
    if (begun instanceof Begun.Replay replay) {
      info("replayed", request, String.valueOf(replay.answer().code()));
    } else if (begun instanceof Begun.Refuse refuse) {
      refused(refuse.refusal(), request);
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
      refused(refused.refusal(), request);
    }
  }

  @Override
  public void unanswered(ProtectedRequest request, boolean released) {
    log.warn("no answer {}: {}", describe(request), released ? "key released" : "key stays taken");
  }

  private static void refused(Refusal refusal, Object request) {
    Level level = refusal.reason().severity();
    if (log.isEnabledForLevel(level)) {
      Object who = request instanceof ProtectedRequest known ? describe(known) : request;
      log.atLevel(level)
          .log("{} {}: {} ({})", refusal.reason(), who, refusal.detail(), refusal.id());
    }
  }

  private static void info(String event, ProtectedRequest request, String detail) {
    if (log.isInfoEnabled()) {
      log.info("{} {}: {}", event, describe(request), detail);
    }
  }

  private static String describe(ProtectedRequest request) {
    return request.key().masked() + " " + RequestLine.of(request.head());
  }
}
