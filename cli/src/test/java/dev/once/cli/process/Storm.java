package dev.once.cli.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Clients that send the same operations again and again through two gateways on one store, while
 * the gateways are killed in turn and started anew:
 *
 * <ol>
 *   <li>Each client picks a key and a gateway at random, sends, and does so again until the storm
 *       is over. No connection, 409, 502 and 503 mean that it has to come back to that key.
 *   <li>Each kill comes with new keys, so that there is something to execute; and it waits until an
 *       execution of its victim is held in the upstream, so that it always hits one.
 *   <li>The storm is over when all kills are done and every key has come to its end.
 * </ol>
 */
final class Storm implements AutoCloseable {

  private static final int CLIENTS = 8;
  private static final int MIN_SENDS = 5;
  private static final String PATH = "/orders";

  /** Between two requests of a client: the gateways need the processors, too. */
  private static final long PAUSE_NANOS = 15_000_000;

  /** Where a client comes back later. */
  private static final Set<Integer> COME_BACK = Set.of(409, 502, 503);

  private final Path folder;
  private final String onCrash;
  private final long seed;
  private final int kills;
  private final int keys;
  private final List<String> store;
  private final Runnable afterFirstKill;
  private final Upstream upstream = new Upstream(201);
  private final AtomicReferenceArray<GatewayProcess> gateways = new AtomicReferenceArray<>(2);
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final Map<String, AtomicInteger> sends = new ConcurrentHashMap<>();
  private final Map<String, Set<Reply>> answers = new ConcurrentHashMap<>();
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();
  private final Set<String> killed = ConcurrentHashMap.newKeySet();
  private final List<String> surprises = new CopyOnWriteArrayList<>();
  private volatile boolean over;

  /**
   * What it will be.
   *
   * @param store the flags that name the store of both gateways
   * @param afterFirstKill what else is done to the store
   */
  Storm(
      Path folder,
      String onCrash,
      int kills,
      int keys,
      long seed,
      List<String> store,
      Runnable afterFirstKill) {
    this.folder = folder;
    this.onCrash = onCrash;
    this.kills = kills;
    this.keys = keys;
    this.seed = seed;
    this.store = store;
    this.afterFirstKill = afterFirstKill;
  }

  // What is left of it.

  List<String> keys() {
    return IntStream.range(0, keys).mapToObj(Storm::key).toList();
  }

  /** Every different success that any client saw for a key, whether or not it was a replay. */
  Set<Reply> answers(String key) {
    return answers.getOrDefault(key, Set.of());
  }

  /** Whether a client was told that the outcome is unknown. */
  boolean isUnknown(String key) {
    return unknown.contains(key);
  }

  /** In the order in which they arrived. */
  List<Execution> executions(String key) {
    return upstream.executions().stream().filter(e -> e.key().equals(key)).toList();
  }

  boolean wasKilled(String gateway) {
    return killed.contains(gateway);
  }

  /** Answers that no client should ever get. */
  List<String> surprises() {
    return surprises;
  }

  /** What the first or the second gateway says about a key, now that all is quiet. */
  Reply ask(int gateway, String key) {
    return Client.of(gateways.get(gateway)).post(PATH, key, body(key));
  }

  // The storm.

  void run() throws Exception {
    gateways.set(0, start(0));
    gateways.set(1, start(1));
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(seed + i);
      clients.add(new Thread(() -> sendUntilOver(random), "client " + i));
    }
    clients.forEach(Thread::start);
    try {
      for (int kill = 0; kill < kills; kill++) {
        killAndRestart(kill % 2, keys * (kill + 1) / kills);
        if (kill == 0) {
          afterFirstKill.run();
        }
      }
      Eventually.until("the end of every key", () -> keys().stream().allMatch(this::isAtItsEnd));
    } finally {
      over = true;
      for (Thread client : clients) {
        client.join();
      }
    }
  }

  private GatewayProcess start(int number) {
    String name = "%d-%d".formatted(number, started.incrementAndGet());
    List<String> flags = new ArrayList<>(store);
    flags.addAll(List.of("--lease", "4s", "--on-crash", onCrash));
    return GatewayProcess.start(upstream.urlFor(name), folder, flags.toArray(String[]::new));
  }

  private void killAndRestart(int number, int openUpTo) throws Exception {
    Hold hold = upstream.hold(e -> e.sender().startsWith(number + "-") && isAlive(e.sender()));
    open.set(openUpTo);
    Execution hit = hold.awaitArrival();
    GatewayProcess victim = gateways.get(number);
    killed.add(hit.sender());
    victim.kill();
    hold.release();
    gateways.set(number, start(number));
  }

  private boolean isAlive(String sender) {
    return !killed.contains(sender);
  }

  private boolean isAtItsEnd(String key) {
    boolean ended = answers.containsKey(key) || unknown.contains(key);
    return ended && sends.get(key).get() >= MIN_SENDS;
  }

  // One client.

  private void sendUntilOver(Random random) {
    while (!over) {
      int opened = open.get();
      if (opened > 0) {
        send(key(random.nextInt(opened)), gateways.get(random.nextInt(2)));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void send(String key, GatewayProcess gateway) {
    sends.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
    Reply reply;
    try {
      reply = Client.of(gateway).post(PATH, key, body(key));
    } catch (Client.NoReplyException e) {
      return; // it was killed, or is not there yet: the key's turn comes again
    }
    if (reply.ok()) {
      answers
          .computeIfAbsent(key, any -> Collections.newSetFromMap(new ConcurrentHashMap<>()))
          .add(withoutMark(reply));
    } else if (reply.problem().equals("outcome-unknown")) {
      unknown.add(key);
    } else if (!COME_BACK.contains(reply.status())) {
      surprises.add(key + ": " + reply);
    }
  }

  /** What must be the same in all of them: status and body. */
  private static Reply withoutMark(Reply reply) {
    return new Reply(reply.status(), Map.of(), reply.bytes(), false);
  }

  private static String key(int number) {
    return "order-" + number;
  }

  private static String body(String key) {
    return "{\"order\":\"" + key + "\"}";
  }

  @Override
  public void close() {
    for (int i = 0; i < gateways.length(); i++) {
      GatewayProcess gateway = gateways.get(i);
      if (gateway != null) {
        gateway.close();
      }
    }
    upstream.close();
  }
}
