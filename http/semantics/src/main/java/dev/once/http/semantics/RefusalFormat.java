package dev.once.http.semantics;

/**
 * What a refusal looks like to a client. Each policy names a {@link StandardFormat}; an application
 * that has an envelope for all of its errors puts a format of its own in the place of those:
 *
 * <pre>{@code
 * RefusalFormat ours = problem -> new Reply(
 *     problem.status(), problem.headers("application/json"), bytes(problem));
 * }</pre>
 *
 * <p>Called on any thread; must not block.
 */
@FunctionalInterface
public interface RefusalFormat {

  /** The format that the problem's policy names. */
  RefusalFormat OF_THE_POLICY = problem -> problem.policy().refusalFormat().reply(problem);

  Reply reply(Problem problem);
}
