package dev.once.http.semantics;

import dev.once.core.Key;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Scope;
import java.util.List;

/**
 * What an idempotency key means over HTTP. Immutable; a server in front asks it about each request:
 *
 * <ol>
 *   <li>{@link #look} at the head: pass, refuse or protect.
 *   <li>To protect: read the body, up to the limit, and {@linkplain ProtectedRequest#operation
 *       begin} its operation with the engine.
 *   <li>Replay or refuse as the engine says, or run the handler.
 *   <li>End the execution with the {@linkplain ProtectedRequest#answer answer}; send it when the
 *       engine says that it is recorded.
 * </ol>
 */
public record Rules(Policies policies, Scopes scopes, Problems problems) {

  public Verdict look(RequestHead head) {
    HttpPolicy policy = policies.policyFor(head);
    String ambiguity = policies.ambiguity(head);
    if (ambiguity != null) {
      return refuse(policy, Reason.MALFORMED, ProblemType.AMBIGUOUS, ambiguity);
    }
    if (!policy.isInScope(head.method(), head.hasBody())) {
      return Verdict.PASS;
    }
    List<String> lines = head.headers(policy.keyHeader());
    if (lines.isEmpty()) {
      return policy.required() ? missing(policy) : Verdict.PASS;
    }
    KeyField field = KeyField.parse(lines);
    String text = field.text();
    String complaint = text == null ? field.complaint() : policy.keyRule().complaint(text);
    if (text == null || complaint != null) {
      return malformed(policy, String.valueOf(complaint));
    }
    Scope scope = scopes.of(head);
    if (scope == null) {
      return refuse(policy, Reason.MISSING, ProblemType.TENANT_MISSING, scopes.tenantMissing());
    }
    String unknown = scopes.callerUnknown(head);
    return unknown != null
        ? refuse(policy, Reason.MISSING, ProblemType.CALLER_UNKNOWN, unknown)
        : new Verdict.Protect(new ProtectedRequest(this, policy, head, scope, Key.of(text)));
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
    return new Verdict.Refuse(
        type, new Refusal(reason, detail, null), problems.problem(policy, 400, type, detail, null));
  }
}
