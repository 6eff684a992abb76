package dev.once.http.semantics;

import dev.once.core.Refusal;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes problems, and replies of them.
 *
 * @param docs the policy page; a problem's type is a place on it
 * @param format what they look like
 */
public record Problems(URI docs, RefusalFormat format) {

  /** Where there is no page that clients can reach: types are names then, and no links. */
  public static final URI NO_PAGE = URI.create("about:blank");

  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  /** Problems that look as their policy says. */
  public Problems(URI docs) {
    this(docs, RefusalFormat.OF_THE_POLICY);
  }

  /** A refusal of the engine, under a policy. */
  public Problem of(HttpPolicy policy, Refusal refusal) {
    return of(policy, policy.statusOf(refusal.reason()), ProblemType.of(refusal.reason()), refusal);
  }

  /** A refusal whose problem has a type and a status of its own. */
  Problem of(HttpPolicy policy, int status, ProblemType type, Refusal refusal) {
    return new Problem(
        policy, true, status, type, refusal.detail(), refusal.retryAfter(), refusal.id(), docs);
  }

  /** Any other problem of a request with a key. */
  public Problem of(
      HttpPolicy policy,
      int status,
      ProblemType type,
      String detail,
      @Nullable Duration retryAfter) {
    return new Problem(policy, true, status, type, detail, retryAfter, Refusal.newId(), docs);
  }

  /** A problem of a request without a key. */
  public Problem withoutKey(
      HttpPolicy policy,
      int status,
      ProblemType type,
      String detail,
      @Nullable Duration retryAfter) {
    return new Problem(policy, false, status, type, detail, retryAfter, Refusal.newId(), docs);
  }

  /** What the client gets. A format that fails is the application's; the client gets a problem. */
  public Reply reply(Problem problem) {
    try {
      Reply reply = Objects.requireNonNull(format.reply(problem), "null (expected: a Reply)");
      reply.headers().forEach(FieldRules::sendable);
      return reply;
    } catch (Throwable e) { // Kotlin throws checked ones too
      log.error("{}: the RefusalFormat failed; a plain problem is sent", problem.instance(), e);
      return StandardFormat.PROBLEM.reply(problem);
    }
  }
}
