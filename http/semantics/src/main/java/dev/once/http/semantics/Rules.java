package dev.once.http.semantics;

import dev.once.core.Key;
import dev.once.core.Origin;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Scope;
import dev.once.http.semantics.Routes.Match;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an idempotency key means over HTTP. Immutable. For each request a surface does this:
 *
 * <ol>
 *   <li>{@link #evaluate} at the head, with the policy that it is under: pass, refuse or protect.
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
  public Verdict evaluate(RequestHead head, Match match, Supplier<Caller> whose) {
    HttpPolicy policy = match.policy();
    if (match.ambiguity() != null) {
      return refuse(head, match, Reason.MALFORMED, ProblemType.AMBIGUOUS, match.ambiguity());
    }
    if (!policy.isInScope(head.method(), head.hasBody())) {
      return new Verdict.Pass(policy);
    }
    List<String> lines = head.headers(policy.keyHeader());
    if (lines.isEmpty()) {
      return policy.required() ? missing(head, match) : new Verdict.Pass(policy);
    }
    KeyField field = KeyField.parse(lines);
    String text = field.text();
    String error = text == null ? field.error() : policy.keyRule().findError(text, field.quoted());
    if (text == null || error != null) {
      return malformed(head, match, String.valueOf(error));
    }
    Caller caller = whose.get();
    if (caller instanceof Caller.Unknown unknown) {
      return refuse(head, match, Reason.MISSING, unknown.type(), unknown.detail());
    }
    Scope scope = ((Caller.Known) caller).scope();
    return new Verdict.Protect(new ProtectedRequest(this, match, head, scope, Key.of(text)));
  }

  /** How a request came in, for those who are told what becomes of it. */
  Origin origin(RequestHead head, String route) {
    return new Origin(surface, route, RequestLine.of(head));
  }

  private Verdict missing(RequestHead head, Match match) {
    return refuse(
        head,
        match,
        Reason.MISSING,
        ProblemType.KEY_MISSING,
        "The header %s is required: %s."
            .formatted(match.policy().keyHeader(), match.policy().keyRule().describe()));
  }

  private Verdict malformed(RequestHead head, Match match, String error) {
    HttpPolicy policy = match.policy();
    return refuse(
        head,
        match,
        Reason.MALFORMED,
        ProblemType.KEY_MALFORMED,
        "The header %s is wrong: %s. A key has %s; or the same in double quotes (RFC 8941)."
            .formatted(policy.keyHeader(), error, policy.keyRule().describe()));
  }

  private Verdict refuse(
      RequestHead head, Match match, Reason reason, ProblemType type, String detail) {
    Refusal refusal = new Refusal(reason, detail, null);
    Problem problem = problems.of(match.policy(), reason.httpStatus(), type, refusal);
    return new Verdict.Refuse(
        problem, refusal, problems.reply(problem), origin(head, match.route()));
  }
}
