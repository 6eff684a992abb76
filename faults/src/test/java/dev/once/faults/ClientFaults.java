package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Store;
import java.util.Set;
import java.util.function.Supplier;

/** Faults of those who use a store, which are the same for every store. */
final class ClientFaults {

  private ClientFaults() {}

  /**
   * Of two processes one is killed and one is paused past its leases, both in the middle of
   * handlers, while a third begins; then the paused one goes on too, and the killed one has a
   * successor.
   */
  static void killAndPause(String name, Supplier<Store> store, String url, Set<Rule> notPromised)
      throws Exception {
    try (Run run = new Run(name, Plan.SHORT)) {
      ClientProcess one = run.process(url);
      ClientProcess other = run.process(url);
      ClientProcess killed = killInSlowHandler(run, one, other);
      while (!run.isBusyForLong(killed)) { // on a slow machine, that handler ended before
        one = killed == one ? other : one;
        other = run.process(url);
        killed = killInSlowHandler(run, one, other);
      }
      ClientProcess paused = killed == one ? other : one;
      paused.pause();
      run.engine(store.get());
      Eventually.letTimePass(run.pastTheLease());
      paused.resume();
      run.process(url);
      run.awaitAnswers(100);
      run.finish();
      run.check(store, notPromised);
      assertThat(run.history().orphans())
          .as("operations that lost their owner: without any, the faults hit nothing")
          .isPositive();
    }
  }

  /** Which of the two it was, when all that it had said is known. */
  private static ClientProcess killInSlowHandler(Run run, ClientProcess one, ClientProcess other)
      throws Exception {
    run.awaitHandlers(one);
    run.awaitHandlers(other);
    Eventually.until(
        () -> "a slow handler", () -> run.isBusyForLong(one) || run.isBusyForLong(other));
    ClientProcess killed = run.isBusyForLong(one) ? one : other;
    killed.kill();
    Eventually.until(() -> "what " + killed + " had said", killed::isDone);
    return killed;
  }
}
