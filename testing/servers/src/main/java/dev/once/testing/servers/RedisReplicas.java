package dev.once.testing.servers;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A master and its replicas. A test promotes one by hand. */
public final class RedisReplicas implements AutoCloseable {

  static final Duration FORMING = Duration.ofMinutes(5);

  private final RedisServer master;
  private final List<RedisServer> replicas = new ArrayList<>();

  private RedisReplicas(RedisServer master) {
    this.master = master;
  }

  /** Starts them, each with these lines of configuration, and waits until all are in step. */
  public static RedisReplicas start(int count, String... config) throws IOException {
    return start(Collections.nCopies(1 + count, null), config);
  }

  /** The same, with a clock for each; the first is the master's. */
  static RedisReplicas start(List<? extends @Nullable ServerClock> clocks, String... config)
      throws IOException {
    RedisReplicas group = new RedisReplicas(RedisServer.start(List.of(), clocks.get(0), config));
    try {
      for (ServerClock clock : clocks.subList(1, clocks.size())) {
        RedisServer replica = RedisServer.start(List.of(), clock, config);
        group.replicas.add(replica);
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(group.master.port()));
      }
      for (RedisServer replica : group.replicas) {
        awaitLink(replica);
      }
      return group;
    } catch (IOException | RuntimeException e) {
      group.close();
      throw e;
    }
  }

  /** Waits until this replica has all that its master has. */
  public static void awaitLink(RedisServer replica) throws IOException {
    await("a replica to be in step", () -> isUp(replica));
  }

  private static boolean isUp(RedisServer replica) throws IOException {
    return replica.info("replication", "master_link_status").equals("up");
  }

  /** A condition that may not be answered yet. */
  interface Condition {
    boolean holds() throws IOException;
  }

  static void await(String what, Condition condition) throws IOException {
    try {
      RedisServer.await(
          FORMING,
          what,
          () -> {
            try {
              return condition.holds();
            } catch (IOException e) {
              return false;
            }
          });
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  /**
   * Makes this replica the master of the others, after the old master was killed. Those that were
   * paused go on; what they were not sent they never get.
   */
  public void promote(int index) throws IOException {
    RedisServer next = replicas.get(index);
    next.resume();
    next.command("REPLICAOF", "NO", "ONE");
    for (RedisServer replica : replicas) {
      if (replica != next) {
        replica.resume();
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(next.port()));
        awaitLink(replica);
      }
    }
  }

  public RedisServer master() {
    return master;
  }

  public RedisServer replica(int index) {
    return replicas.get(index);
  }

  List<RedisServer> all() {
    List<RedisServer> all = new ArrayList<>(replicas);
    all.add(0, master);
    return all;
  }

  @Override
  public void close() throws IOException {
    for (RedisServer server : all()) {
      server.close();
    }
  }
}
