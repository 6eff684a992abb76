package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Inspection;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisCache;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two nodes, each with its own way to one Redis, on one PostgreSQL, and clients that ask both of
 * them for new and for known keys. It remembers what ran and what was answered.
 */
final class Load implements AutoCloseable {

  private static final int CLIENTS = 6;

  /** Keys are chosen among the last so many: most of them are known, and some still run. */
  private static final int RECENT = 12;

  private static final int MORE_REQUESTS = 150;

  /** A loaded machine is slow, and its Redis is there all the same. */
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private static final class Database {
    static final String URL = create();

    private static String create() {
      String url = PostgresServer.shared().newDatabase();
      JdbcStore.migrate(url);
      return url;
    }
  }

  final List<FaultProxy> proxies = new ArrayList<>();
  private final List<Store> stores = new ArrayList<>();
  private final List<Once> nodes = new ArrayList<>();
  private final List<Thread> clients = new ArrayList<>();
  private final AtomicInteger fallbacks = new AtomicInteger();
  private final String name = Long.toHexString(ThreadLocalRandom.current().nextLong());

  private final AtomicInteger newest = new AtomicInteger(1);
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong replays = new AtomicLong();
  private final AtomicLong databaseReplies = new AtomicLong();
  private final Map<OperationId, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Map<OperationId, Answer> answers = new ConcurrentHashMap<>();
  private final Set<OperationId> releasedByHand = ConcurrentHashMap.newKeySet();
  private final Queue<String> errors = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  /** Opens the store of a node. */
  interface StoreFactory {
    Store open(String redis, Store database, Runnable onFallback);
  }

  /** The store under test. */
  static Store tiered(String redis, Store database, Runnable onFallback) {
    return TieredStore.fallback(
        database,
        RedisCache.open(redis),
        TieredSettings.forFallback().withTimeout(TIMEOUT).withOnFallback(onFallback));
  }

  Load(String redis, StoreFactory storeFactory) {
    for (int i = 0; i < 2; i++) {
      FaultProxy proxy = FaultProxy.to(redis);
      proxies.add(proxy);
      Store store =
          storeFactory.open(
              proxy.url(redis) + "?prefix=" + name + ":",
              new ObservedStore(JdbcStore.open(Database.URL), databaseReplies),
              fallbacks::incrementAndGet);
      stores.add(store);
      nodes.add(Once.on(store));
    }
    for (int i = 0; i < CLIENTS; i++) {
      Thread client = new Thread(this::ask, "client " + i);
      client.start();
      clients.add(client);
    }
  }

  private void ask() {
    while (!ended) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      int number = newest.get() - random.nextInt(RECENT);
      if (random.nextInt(6) == 0) {
        number = newest.incrementAndGet();
      }
      ask(id(Math.max(0, number)), nodes.get(random.nextInt(2)));
      asked.incrementAndGet();
    }
  }

  private void ask(OperationId id, Once node) {
    try {
      Result result =
          node.run(
              operation(id),
              execution -> {
                int run = runs.computeIfAbsent(id, any -> new AtomicInteger()).incrementAndGet();
                return Answer.success(200, Body.of(name + " run " + run));
              });
      if (result instanceof Result.Executed executed) {
        check(executed.recorded(), id, "an answer was given that is not recorded");
        answered(id, executed.answer());
      } else if (result instanceof Result.Replayed replayed) {
        replays.incrementAndGet();
        answered(id, replayed.answer());
      } else if (result instanceof Result.Refused refused) {
        check(refused.refusal().reason() == Refusal.Reason.BUSY, id, refused.refusal().toString());
      }
    } catch (Exception e) {
      errors.add(id + ": " + e);
    }
  }

  private void answered(OperationId id, Answer answer) {
    Answer first = answers.putIfAbsent(id, answer);
    check(first == null || first.equals(answer) || isReleased(id), id, "two answers");
  }

  private boolean isReleased(OperationId id) {
    return releasedByHand.contains(id);
  }

  private void check(boolean good, OperationId id, String otherwise) {
    if (!good) {
      errors.add(id + ": " + otherwise);
    }
  }

  private OperationId id(int number) {
    return new OperationId(new Scope(name, "", ""), Key.of("key-" + number));
  }

  private static Operation operation(OperationId id) {
    return new Operation(id, Fingerprint.of("asked"), Policy.DEFAULT);
  }

  /** Until so many more requests were answered. */
  void awaitMore() {
    long enough = asked.get() + MORE_REQUESTS;
    Await.until("requests to be answered", () -> asked.get() >= enough);
  }

  /** A person releases keys that are finished, so that they may run again. */
  void releaseSomeByHand() {
    int last = newest.get();
    for (int i = last - RECENT; i < last; i += 3) {
      OperationId id = id(Math.max(0, i));
      releasedByHand.add(id);
      Inspection people = stores.get(0).inspection();
      people
          .find(id)
          .toCompletableFuture()
          .join()
          .filter(record -> record.status() != OperationRecord.Status.PROCESSING)
          .ifPresent(
              record ->
                  people.forceRelease(id, record.lease().fence()).toCompletableFuture().join());
    }
  }

  /** Until a while has passed in which neither node missed Redis. */
  void awaitThatRedisIsUsed() {
    Await.until(
        "Redis to be used again",
        () -> {
          int before = fallbacks.get();
          long replayed = replays.get() - databaseReplies.get();
          long enough = asked.get() + 30;
          Await.until("requests to be answered", () -> asked.get() >= enough);
          return fallbacks.get() == before && replays.get() - databaseReplies.get() > replayed;
        });
  }

  int fallbacks() {
    return fallbacks.get();
  }

  /** Stops the clients and asks whether all is as it should be. */
  void endAndCheck() {
    stop();
    assertThat(errors).isEmpty();
    assertThat(answers).isNotEmpty();
    runs.forEach(
        (id, count) -> {
          if (!isReleased(id)) {
            assertThat(count).as("runs of " + id).hasValue(1);
          }
        });
    answers.forEach(
        (id, answer) -> {
          if (!isReleased(id)) {
            nodes.forEach(node -> assertThat(finished(node, id)).isEqualTo(answer));
          }
        });
  }

  /** What a late duplicate gets; "still running" may be said for a moment, and nothing else. */
  private static Answer finished(Once node, OperationId id) {
    Answer[] answer = new Answer[1];
    Await.until(
        id + " to be replayed",
        () -> {
          Result result;
          try {
            result =
                node.run(
                    operation(id),
                    execution -> {
                      throw new AssertionError("a finished key ran again");
                    });
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          if (result instanceof Result.Replayed replayed) {
            answer[0] = replayed.answer();
            return true;
          }
          assertThat(((Result.Refused) result).refusal().reason()).isEqualTo(Refusal.Reason.BUSY);
          return false;
        });
    return answer[0];
  }

  private void stop() {
    ended = true;
    for (Thread client : clients) {
      try {
        client.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    stop();
    nodes.forEach(Once::close);
    stores.forEach(Store::close);
    proxies.forEach(FaultProxy::close);
  }
}
