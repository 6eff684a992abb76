package dev.once.examples.quickstart;

import static java.util.Collections.nCopies;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that does not trust its network sends a payment again and again. */
public final class Quickstart {

  private static final int SENT = 5;

  private final AtomicInteger charges = new AtomicInteger();

  private Quickstart() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("once-quickstart-");
    Path file = folder.resolve("once.db");
    System.out.println("Keys are kept in " + file + "\n");
    new Quickstart().show(file);
  }

  private void show(Path file) throws Exception {
    for (int i = 0; i < SENT; i++) {
      charge(10);
    }
    System.out.printf(
        "Without Once:  a payment of 10 EUR, sent %d times, charged the card %d times.%n%n",
        SENT, charges.getAndSet(0));

    String key = "550e8400-e29b-41d4-a716-446655440000";
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      System.out.printf("With Once:     the same, with one key, %d at the same time:%n", SENT);
      ExecutorService clients = Executors.newFixedThreadPool(SENT);
      Callable<Result> payment = () -> pay(once, key, 10);
      for (Future<Result> result : clients.invokeAll(nCopies(SENT, payment))) {
        print(result.get());
      }
      clients.shutdown();
      System.out.println("  another amount, with the same key:");
      print(pay(once, key, 99));
    }
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      System.out.println("  the first amount again, after a restart:");
      print(pay(once, key, 10));
    }
    System.out.printf("%nThe card was charged %d time.%n", charges.get());
  }

  private Result pay(Once once, String key, int amount) {
    Operation operation =
        Operation.of(
            new Scope("acme", "alice", ""),
            Key.of(key),
            Fingerprint.of("POST", "/payments", "{\"amount\":" + amount + "}"),
            Policy.DEFAULT.with(policy -> policy.onBusy(OnBusy.WAIT)));
    try {
      return once.run(operation, execution -> charge(amount));
    } catch (Exception e) {
      throw new IllegalStateException("the card terminal failed", e);
    }
  }

  private Answer charge(int amount) {
    int number = charges.incrementAndGet();
    return Answer.success(201, Body.of("payment " + number + ": " + amount + " EUR"));
  }

  private static void print(Result result) {
    String line;
    if (result instanceof Result.Executed executed) {
      line = "executed  " + text(executed.answer());
    } else if (result instanceof Result.Replayed replayed) {
      line = "replayed  " + text(replayed.answer());
    } else {
      line = "refused   " + ((Result.Refused) result).refusal().detail();
    }
    System.out.println("    " + line);
  }

  private static String text(Answer answer) {
    return answer.body() instanceof Body.Full full ? full.bytes().toUtf8() : "(not kept)";
  }
}
