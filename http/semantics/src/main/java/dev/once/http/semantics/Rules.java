package dev.once.http.semantics;

import dev.once.core.Key;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an idempotency key means over HTTP. Immutable; a server in front asks it about each request:
 *
 * <ol>
 *   <li>{@link #look} at the head, with the policy that it is under: pass, refuse or protect.
 *   <li>To protect: read the body, up to the limit, and {@linkplain ProtectedRequest#operation
 *       begin} its operation with the engine.
 *   <li>Replay or refuse as the engine says, or run the handler.
 *   <li>End the execution with the {@linkplain ProtectedRequest#answer answer}; send it when the
 *       engine says that it is recorded.
 * </ol>
 *
 * @param surface the way in that asks, such as {@code gateway}
 */
public record Rules(String surface, Problems problems) {

  /**
   * Looks at a request.
   *
   * @param whose asked only if the request has a good key
   */
  public Verdict look(RequestHead head, Match match, Supplier<Caller> whose) {
    HttpPolicy policy = match.policy();
    if (match.ambiguity() != null) {
      return refuse(policy, Reason.MALFORMED, ProblemType.AMBIGUOUS, match.ambiguity());
    }
    if (!policy.isInScope(head.method(), head.hasBody())) {
      return new Verdict.Pass(policy);
    }
    List<String> lines = head.headers(policy.keyHeader());
    if (lines.isEmpty()) {
      return policy.required() ? missing(policy) : new Verdict.Pass(policy);
    }
    KeyField field = KeyField.parse(lines);
    String text = field.text();
    String complaint =
        text == null ? field.complaint() : policy.keyRule().complaint(text, field.quoted());
    if (text == null || complaint != null) {
      return malformed(policy, String.valueOf(complaint));
    }
    Caller caller = whose.get();
    return caller instanceof Caller.Known known
        ? new Verdict.Protect(new ProtectedRequest(this, match, head, known.scope(), Key.of(text)))
        : unknown(policy, (Caller.Unknown) caller);
  }

  private Verdict unknown(HttpPolicy policy, Caller.Unknown caller) {
    return refuse(policy, Reason.MISSING, caller.type(), caller.detail());
  }

  private Verdict missing(HttpPolicy policy) {
    return refuse(
        policy,
        Reason.MISSING,
        ProblemType.KEY_MISSING,
        "The header %s is required: %s."
            .formatted(policy.keyHeader(), policy.keyRule().describe()));
  }

  private Verdict malformed(HttpPolicy policy, String complaint) {
    return refuse(
        policy,
        Reason.MALFORMED,
        ProblemType.KEY_MALFORMED,
        "The header %s is wrong: %s. A key has %s; or the same in double quotes (RFC 8941)."
            .formatted(policy.keyHeader(), complaint, policy.keyRule().describe()));
  }

  private Verdict refuse(HttpPolicy policy, Reason reason, ProblemType type, String detail) {
    Refusal refusal = new Refusal(reason, detail, null);
    Problem problem = problems.of(policy, reason.httpStatus(), type, refusal);
    return new Verdict.Refuse(problem, refusal, problems.reply(problem));
  }
}
