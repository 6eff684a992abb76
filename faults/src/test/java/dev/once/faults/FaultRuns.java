package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Store;
import dev.once.testing.servers.FaultProxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * What every store with a server goes through. Two engines ask for the same operations, each with
 * connections of its own; one's lead through the proxy. Whatever happens, all clients get their
 * answers in the end, and the history fits.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
abstract class FaultRuns {

  private static final long SEED = Long.getLong("once.faults.seed", System.nanoTime());
  private static final Duration STORM =
      Duration.ofSeconds(Long.getLong("once.faults.seconds", 120));

  /** Longer than any store here waits for a reply: what comes later is heard by nobody. */
  private static final Duration CALLS_ARE_GIVEN_UP = Duration.ofSeconds(6);

  private Subject subject;
  private String url;
  private String name;

  abstract Subject start();

  Subject subject() {
    return subject;
  }

  @BeforeAll
  void startServer() {
    subject = start();
  }

  @AfterAll
  void stopServer() {
    if (subject != null) {
      subject.close();
    }
  }

  @BeforeEach
  void newStore(TestInfo test) {
    name = getClass().getSimpleName() + ": " + test.getDisplayName();
    url = subject.newStore();
  }

  @AfterEach
  void heal() {
    subject.proxy().heal();
  }

  String url() {
    return url;
  }

  /** Two engines under load. */
  Run load() {
    return load(Plan.SHORT);
  }

  Run load(Plan plan) {
    Run run = new Run(name, plan);
    try {
      run.engine(StoreOpening.open(subject.throughProxy(url)));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(200);
      return run;
    } catch (Throwable e) {
      run.close();
      throw e;
    }
  }

  Store open() {
    return StoreOpening.open(url);
  }

  /** Waits until clients are refused, or, if they need not notice the fault, get answers. */
  private void awaitFaultEffect(Run run) {
    if (subject.failsClients()) {
      run.awaitRefusals(3);
    } else {
      run.awaitAnswers(100);
    }
  }

  void finish(Run run) {
    run.awaitAnswers(100);
    run.finish();
    check(run);
  }

  private void check(Run run) {
    run.check(this::open, subject.notPromised());
  }

  @Test
  void the_server_is_killed_and_restarted_under_load() {
    try (Run run = load()) {
      subject.kill();
      awaitFaultEffect(run);
      subject.restart();
      finish(run);
    }
  }

  @Test
  void the_server_is_paused_past_the_lease() {
    try (Run run = load()) {
      subject.pause();
      Eventually.letTimePass(run.pastTheLease());
      awaitFaultEffect(run);
      subject.resume();
      finish(run);
    }
  }

  @Test
  void hundreds_of_first_requests_meet_a_paused_server_and_no_key_stays_locked() {
    try (Burst burst = new Burst(open())) {
      int asked = burst.unanswered();
      subject.pause();
      int refused = burst.ask();
      Eventually.letTimePass(CALLS_ARE_GIVEN_UP);
      subject.resume();
      if (subject.failsClients()) {
        assertThat(refused).as("refused").isEqualTo(asked);
      }
      burst.askUntilAnswered();
    }
  }

  @Test
  void hundreds_of_clients_go_on_when_the_server_was_paused() {
    try (Run run = load(Plan.MANY)) {
      subject.pause();
      awaitFaultEffect(run);
      subject.resume();
      finish(run);
    }
  }

  @Test
  void clients_are_killed_and_paused_past_their_leases() throws Exception {
    ClientFaults.killAndPause(name, this::open, url, subject.notPromised());
  }

  @Test
  void connections_are_cut() {
    try (Run run = load()) {
      for (int i = 0; i < 10; i++) {
        subject.proxy().cut();
        run.awaitAnswers(20);
      }
      finish(run);
    }
  }

  @Test
  void connections_are_half_open_past_the_lease() {
    try (Run run = load()) {
      subject.proxy().blackhole();
      Eventually.letTimePass(run.pastTheLease());
      awaitFaultEffect(run);
      subject.proxy().heal();
      finish(run);
    }
  }

  @Test
  void connections_stall_past_the_lease_and_then_all_arrives() {
    try (Run run = load()) {
      subject.proxy().stall();
      Eventually.letTimePass(run.pastTheLease());
      awaitFaultEffect(run);
      subject.proxy().heal();
      finish(run);
    }
  }

  @Test
  void replies_are_lost_after_their_requests_took_effect() {
    FaultProxy proxy = subject.proxy();
    try (Run run = load()) {
      // A cache that fails is left alone for a while, and loses few.
      int enough = proxy.lostReplies() + (subject.failsClients() ? 15 : 5);
      proxy.dropReplies(0.2);
      Eventually.until(() -> "lost replies", () -> proxy.lostReplies() >= enough);
      proxy.heal();
      finish(run);
    }
  }

  @Test
  void the_servers_clock_is_set_back_and_forth() {
    try (Run run = load()) {
      for (Duration by : new Duration[] {Duration.ofMinutes(-10), Duration.ofMinutes(10)}) {
        subject.moveClock(url, by);
        run.awaitAnswers(50);
      }
      run.awaitAnswers(100);
      run.finish();
      // Who is told that an hour has passed cannot know that it has not.
      Set<Rule> notPromised = new HashSet<>(subject.notPromised());
      notPromised.add(Rule.LEASE_RESPECTED);
      run.check(this::open, notPromised);
    }
  }

  @Test
  @Tag("long")
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void faults_of_all_kinds_follow_each_other() throws Exception {
    System.out.println(name + ": seed " + SEED);
    try (Run run = load()) {
      new Storm(subject, url, run, SEED).runFor(STORM);
      run.finishWhereTheyAre();
      check(run);
    }
  }
}
