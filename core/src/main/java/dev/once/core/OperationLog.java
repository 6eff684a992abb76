package dev.once.core;

import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what becomes of operations to the log: a missing or bad key as a warning, duplicates and
 * recorded answers as information, a store that fails as an error. Keys are masked.
 */
final class OperationLog implements OnceListener {

  private static final Logger log = LoggerFactory.getLogger("dev.once.operations");
  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

  @Override
  public void requestRefused(Origin origin, Refusal refusal) {
    refused(refusal, () -> describe(origin));
  }

  @Override
  public void begun(Execution execution) {
    if (!execution.isProtected()) {
      log.error("UNPROTECTED {}: the store failed", describe(execution.operation()));
    } else if (execution.attempt() > 1) {
      log.warn("again {}: attempt {}", describe(execution.operation()), execution.attempt());
    }
  }

  @Override
  public void replayed(Operation operation, Answer answer) {
    info("replayed", operation, answer.code());
  }

  @Override
  public void refused(Operation operation, Refusal refusal) {
    refused(refusal, () -> describe(operation));
  }

  /** With its id, which the client has too. */
  private static void refused(Refusal refusal, Supplier<String> what) {
    log.atLevel(refusal.reason().severity())
        .addArgument(refusal.reason())
        .addArgument(what)
        .addArgument(refusal.detail())
        .addArgument(refusal.id())
        .log("{} {}: {} ({})");
  }

  @Override
  public void ended(Execution execution, Result result) {
    if (result instanceof Result.Executed executed) {
      String how = executed.recorded() ? "recorded" : "not recorded";
      info(how, execution.operation(), executed.answer().code());
    } else if (result instanceof Result.Refused refused) {
      refused(execution.operation(), refused.refusal());
    }
  }

  @Override
  public void released(Execution execution) {
    log.warn("no answer {}: key released", describe(execution.operation()));
  }

  @Override
  public void abandoned(Execution execution) {
    log.warn("no answer {}: key stays taken", describe(execution.operation()));
  }

  private static void info(String event, Operation operation, Object detail) {
    if (log.isInfoEnabled()) {
      log.info("{} {}: {}", event, describe(operation), detail);
    }
  }

  /** Its masked key, and where it came from. */
  static String describe(Operation operation) {
    return operation.id().masked() + " " + describe(operation.origin());
  }

  /** Nothing that a client sends may forge a line. */
  private static String describe(Origin origin) {
    String source = origin.source().toString();
    return source.isEmpty()
        ? (origin.surface() + " " + origin.route()).strip()
        : UNPRINTABLE.matcher(source).replaceAll("?");
  }
}
