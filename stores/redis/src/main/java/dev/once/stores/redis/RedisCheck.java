package dev.once.stores.redis;

import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Looks at a Redis from the outside, step by step, and says what it found. */
final class RedisCheck {

  private static final int PINGS = 21;
  private static final Duration SLOW = Duration.ofMillis(10);
  private static final Duration FAR_OFF = Duration.ofMinutes(1);

  private final RedisSettings settings;
  private final ConnectedRedis redis;
  private final List<Finding> findings = new ArrayList<>();

  private RedisCheck(RedisSettings settings, ConnectedRedis redis) {
    this.settings = settings;
    this.redis = redis;
  }

  static List<Finding> of(RedisSettings settings) {
    ConnectedRedis reached;
    try {
      reached = ConnectedRedis.reach(settings, null);
    } catch (StoreException e) {
      return List.of(Finding.unfit("connection", String.valueOf(e.getMessage())));
    }
    try (reached) {
      RedisCheck check = new RedisCheck(settings, reached);
      check.run();
      return List.copyOf(check.findings);
    }
  }

  private void run() {
    findings.add(Finding.good("connection", settings.toString()));
    findings.addAll(redis.fitness().findings());
    try {
      commands();
      for (RedisAsyncCommands<byte[], byte[]> master : redis.link().masters()) {
        latency(master);
        clock(master);
      }
      if (settings.topology() == RedisSettings.Topology.CLUSTER) {
        cluster();
      }
    } catch (RuntimeException e) {
      findings.add(Finding.unfit("connection", String.valueOf(Failures.explain(e).getMessage())));
    }
  }

  private void commands() {
    try {
      new StepProbe(redis, settings).run();
      findings.add(Finding.good("commands", "each step was taken once, on a key of its own"));
    } catch (StoreException e) {
      findings.add(Finding.unfit("commands", String.valueOf(e.getMessage())));
    }
    byte[] channel = (settings.prefix() + "probe").getBytes(StandardCharsets.UTF_8);
    Long heard =
        ServerFacts.ifAllowed(
            redis.link().masters().get(0).publish(channel, new byte[0]), settings.timeout(), -1L);
    findings.add(
        heard >= 0
            ? Finding.good("wake-ups", "publishing is allowed")
            : Finding.warning(
                "wake-ups",
                "this user may not publish: who waits for an answer polls; allow &"
                    + settings.prefix()
                    + "*"));
  }

  private void latency(RedisAsyncCommands<byte[], byte[]> master) {
    long[] nanos = new long[PINGS];
    for (int i = 0; i < PINGS; i++) {
      long start = System.nanoTime();
      await(master.ping());
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    Duration median = Duration.ofNanos(nanos[PINGS / 2]);
    String detail = "%.2f ms, the median of %d".formatted(median.toNanos() / 1e6, PINGS);
    findings.add(
        median.compareTo(SLOW) > 0
            ? Finding.warning(
                "latency", detail + ": each first request waits twice as long; move them closer")
            : Finding.good("latency", detail));
  }

  private void clock(RedisAsyncCommands<byte[], byte[]> master) {
    ServerTime time = ServerTime.of(master, settings.timeout());
    String detail =
        "%+.3f s from this machine's; leases and expiry go by the server's alone"
            .formatted(time.offset().toMillis() / 1e3);
    findings.add(
        time.offset().abs().compareTo(FAR_OFF) > 0
            ? Finding.warning("clock", detail + "; fences come from it too: set it right")
            : Finding.good("clock", detail));
    findings.addAll(new ReplicaClocks(settings).of(master, time));
  }

  private void cluster() {
    String info =
        ServerFacts.ifAllowed(
            redis.link().masters().get(0).clusterInfo(), settings.timeout(), "cluster_state:?");
    String state =
        info.lines().filter(line -> line.startsWith("cluster_state:")).findFirst().orElse("");
    String detail = redis.link().masters().size() + " masters, " + state;
    findings.add(
        state.equals("cluster_state:ok")
            ? Finding.good("cluster", detail)
            : Finding.unfit(
                "cluster", detail + " (expected: cluster_state:ok); see CLUSTER INFO and NODES"));
  }

  private <T> T await(CompletionStage<T> reply) {
    return reply
        .toCompletableFuture()
        .orTimeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
