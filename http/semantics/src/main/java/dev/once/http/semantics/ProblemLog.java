package dev.once.http.semantics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes problems to the log that the engine knows nothing of. Keys are masked. */
public final class ProblemLog {

  private static final Logger log = LoggerFactory.getLogger("dev.once.operations");

  private ProblemLog() {}

  /** Tells of a problem of this request. */
  public static void tell(Problem problem, RequestHead head) {
    tell(problem, RequestLine.of(head).toString());
  }

  /**
   * Tells of a problem.
   *
   * @param request describes it; nothing in it may be unprintable
   */
  public static void tell(Problem problem, String request) {
    log.atLevel(problem.type().severity())
        .log("{} {}: {} ({})", problem.type(), request, problem.detail(), problem.instance());
  }
}
