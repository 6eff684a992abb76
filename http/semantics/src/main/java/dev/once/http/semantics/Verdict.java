package dev.once.http.semantics;

import dev.once.core.Refusal;

/** What the head of a request says to do with it. */
public sealed interface Verdict {

  /** Not ours: pass it on as it is, and do not read its body. */
  Verdict PASS = new Pass();

  /** Not ours: pass it on as it is, and do not read its body. */
  record Pass() implements Verdict {}

  /** Answer this; do not run. */
  record Refuse(ProblemType type, Refusal refusal, Reply reply) implements Verdict {}

  /** Read the body, and begin its operation. */
  record Protect(ProtectedRequest request) implements Verdict {}
}
