package dev.once.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Faults of all kinds, one after another and in an order that a seed decides, on the server, on the
 * connections and on clients in other processes. Processes do not repeat themselves exactly, but
 * the order of the faults does.
 */
final class Storm {

  private interface Fault {
    void inject() throws Exception;
  }

  private static final int KEYS_AHEAD = 500;
  private static final Duration REPORT_EVERY = Duration.ofMinutes(1);

  private final Subject subject;
  private final String url;
  private final Run run;
  private final Random random;
  private ClientProcess victim;

  Storm(Subject subject, String url, Run run, long seed) {
    this.subject = subject;
    this.url = url;
    this.run = run;
    this.random = new Random(seed);
    this.victim = newVictim();
  }

  /** By the time it has started, the others are about where it begins: it is not always late. */
  private ClientProcess newVictim() {
    return run.process(url, run.history().last() + KEYS_AHEAD);
  }

  /** Injects faults for so long. */
  void runFor(Duration length) throws Exception {
    List<Fault> faults =
        List.of(
            this::killServer,
            this::pauseServer,
            this::killClient,
            this::pauseClient,
            () -> subject.proxy().cut(),
            this::refuse,
            this::halfOpen,
            this::stall,
            this::loseReplies);
    long start = System.nanoTime();
    long end = start + length.toNanos();
    long nextReport = start + REPORT_EVERY.toNanos();
    int injected = 0;
    while (System.nanoTime() - end < 0) {
      faults.get(random.nextInt(faults.size())).inject();
      injected++;
      subject.proxy().heal();
      run.awaitAnswers(200);
      if (System.nanoTime() - nextReport > 0) {
        nextReport += REPORT_EVERY.toNanos();
        report(Duration.ofNanos(System.nanoTime() - start), injected);
      }
    }
  }

  private void report(Duration elapsed, int injected) {
    System.out.printf(
        "storm: %d s, %d faults, %d answers, %d refusals because of them%n",
        elapsed.toSeconds(), injected, run.history().answers(), run.history().storeRefusals());
  }

  private void killServer() {
    subject.kill();
    passSomeTime();
    subject.restart();
  }

  private void pauseServer() {
    subject.pause();
    passSomeTime();
    subject.resume();
  }

  private void killClient() throws Exception {
    run.awaitHandlers(victim);
    victim.kill();
    victim = newVictim();
  }

  private void pauseClient() throws Exception {
    run.awaitHandlers(victim);
    victim.pause();
    passSomeTime();
    victim.resume();
  }

  private void refuse() {
    subject.proxy().refuse();
    passSomeTime();
  }

  private void halfOpen() {
    subject.proxy().blackhole();
    passSomeTime();
  }

  private void stall() {
    subject.proxy().stall();
    passSomeTime();
  }

  private void loseReplies() {
    subject.proxy().dropReplies(random.nextDouble());
    passSomeTime();
  }

  /** Less than a lease, or more. */
  private void passSomeTime() {
    Eventually.letTimePass(
        Duration.ofNanos((long) (run.pastTheLease().toNanos() * (0.1 + random.nextDouble()))));
  }
}
