package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Store;
import dev.once.testing.servers.NetworkHost;
import dev.once.testing.servers.NetworkLink;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
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
 * A store whose server is on a host of its own, behind links that lose packets in one direction or
 * in both. Unlike a proxy's, these connections are the kernel's: what was sent waits in its
 * buffers, and arrives when the link is healed, even if its connection was given up long before.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
abstract class PartitionRuns {

  private static final long SEED = Long.getLong("once.faults.seed", System.nanoTime());
  private static final Duration STORM =
      Duration.ofSeconds(Long.getLong("once.faults.seconds", 120));

  /** Longer than any store here waits for a reply: its connections are given up meanwhile. */
  private static final Duration OUTAGE = Duration.ofSeconds(8);

  private NetworkHost host;
  private NetworkLink link;
  private NetworkLink other;
  private String url;
  private String name;

  /** Starts the server on this host. */
  abstract void start(NetworkHost host) throws Exception;

  /** A new, empty store on it. */
  abstract String newStore();

  abstract void stop() throws Exception;

  @BeforeAll
  void startHost() throws Exception {
    host = NetworkHost.start();
    link = host.link();
    other = host.link();
    start(host);
  }

  @AfterAll
  void stopHost() throws Exception {
    if (host != null) {
      try {
        stop();
      } finally {
        host.close();
      }
    }
  }

  @BeforeEach
  void newStore(TestInfo test) {
    name = getClass().getSimpleName() + ": " + test.getDisplayName();
    url = newStore();
  }

  @AfterEach
  void heal() {
    link.heal();
    other.heal();
  }

  private Store open() {
    return StoreOpening.open(url);
  }

  private Run load(String... urls) {
    Run run = new Run(name, Plan.SHORT);
    try {
      for (String each : urls) {
        run.engine(StoreOpening.open(each));
      }
      run.awaitAnswers(200);
      return run;
    } catch (Throwable e) {
      run.close();
      throw e;
    }
  }

  private void finish(Run run) {
    run.awaitAnswers(100);
    run.finish();
    run.check(this::open);
  }

  /** Of two engines, one has this trouble with its link. */
  private void pastTheLease(Consumer<NetworkLink> fault) {
    try (Run run = load(link.url(url), url)) {
      fault.accept(link);
      Eventually.letTimePass(run.pastTheLease());
      run.awaitRefusals(3);
      link.heal();
      finish(run);
    }
  }

  @Test
  void requests_of_one_engine_are_lost_past_the_lease() {
    pastTheLease(NetworkLink::loseRequests);
  }

  @Test
  void replies_to_one_engine_are_lost_past_the_lease() {
    pastTheLease(NetworkLink::loseReplies);
  }

  @Test
  void one_engine_is_cut_off_past_the_lease() {
    pastTheLease(NetworkLink::cut);
  }

  @Test
  void requests_of_one_engine_and_replies_to_the_other_are_lost() {
    try (Run run = load(link.url(url), other.url(url))) {
      link.loseRequests();
      other.loseReplies();
      Eventually.letTimePass(run.pastTheLease());
      run.awaitRefusals(6);
      link.heal();
      other.heal();
      finish(run);
    }
  }

  @Test
  void hundreds_of_first_requests_arrive_late_and_no_key_stays_locked() {
    burst(NetworkLink::loseRequests);
  }

  @Test
  void hundreds_of_first_requests_whose_replies_are_lost_leave_no_key_locked() {
    burst(NetworkLink::loseReplies);
  }

  private void burst(Consumer<NetworkLink> fault) {
    try (Burst burst = new Burst(StoreOpening.open(link.url(url)))) {
      int asked = burst.unanswered();
      fault.accept(link);
      assertThat(burst.ask()).as("refused").isEqualTo(asked);
      Eventually.letTimePass(OUTAGE);
      link.heal();
      // Whoever asks at once may come before the late claims, and then they find an answer.
      Eventually.until(
          () -> link.undelivered() + " connections to deliver what they have",
          () -> link.undelivered() == 0);
      burst.askUntilAnswered();
    }
  }

  @Test
  @Tag("long")
  @Timeout(3600)
  void links_lose_packets_in_all_ways() {
    System.out.println(name + ": seed " + SEED);
    List<Consumer<NetworkLink>> faults =
        List.of(NetworkLink::loseRequests, NetworkLink::loseReplies, NetworkLink::cut);
    Random random = new Random(SEED);
    try (Run run = load(link.url(url), other.url(url), url)) {
      long end = System.nanoTime() + STORM.toNanos();
      while (System.nanoTime() < end) {
        faults.get(random.nextInt(faults.size())).accept(link);
        if (random.nextBoolean()) {
          faults.get(random.nextInt(faults.size())).accept(other);
        }
        Eventually.letTimePass(Duration.ofMillis(100 + random.nextInt(4_000)));
        link.heal();
        other.heal();
        run.awaitAnswers(200);
      }
      finish(run);
    }
  }
}
