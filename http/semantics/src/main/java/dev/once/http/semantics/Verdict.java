package dev.once.http.semantics;

import dev.once.core.Origin;
import dev.once.core.Refusal;

/** What to do with a request, decided by its head: pass it on, refuse it, or protect it. */
public sealed interface Verdict {

  /** What the request is under. */
  HttpPolicy policy();

  /** Not ours: pass it on as it is, and do not read its body. */
  record Pass(HttpPolicy policy) implements Verdict {}

  /** Answer this; do not run. */
  record Refuse(Problem problem, Refusal refusal, Reply reply, Origin origin) implements Verdict {
    @Override
    public HttpPolicy policy() {
      return problem.policy();
    }
  }

  /** Read the body, and begin its operation. */
  record Protect(ProtectedRequest request) implements Verdict {
    @Override
    public HttpPolicy policy() {
      return request.policy();
    }
  }
}
