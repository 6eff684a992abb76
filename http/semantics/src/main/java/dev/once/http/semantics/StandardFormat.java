package dev.once.http.semantics;

/** The formats of refusals that a policy can name. */
public enum StandardFormat implements RefusalFormat {
  /** {@code application/problem+json} (RFC 9457). */
  PROBLEM {
    @Override
    public Reply reply(Problem problem) {
      return ProblemFormat.reply(problem);
    }
  },
  /** As Stripe answers, so that its client libraries raise their own errors. */
  STRIPE {
    @Override
    public Reply reply(Problem problem) {
      return StripeFormat.reply(problem);
    }
  }
}
