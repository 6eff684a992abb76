package dev.once.examples.quickstart;

import static java.util.Collections.nCopies;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.RefusedException;
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

  /** Duplicates wait for the first one's answer; by default they are refused. */
  private static final Policy WAIT = Policy.DEFAULT.with(policy -> policy.onBusy(OnBusy.WAIT));

  private final AtomicInteger charges = new AtomicInteger();

  private Quickstart() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("once-quickstart-");
    Path file = folder.resolve("once.db");
    System.out.println("Keys are kept in " + file + "\n");
    new Quickstart().show(file);
  }

  private void show(Path file) throws Exception {
    System.out.printf("Without Once, a payment of 10 EUR is sent %d times:%n", SENT);
    for (int i = 0; i < SENT; i++) {
      charge(10);
    }
    System.out.printf("The card was charged %d times.%n%n", charges.getAndSet(0));

    String key = "550e8400-e29b-41d4-a716-446655440000";
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      System.out.printf("With Once, it is sent %d times at once, with one key:%n", SENT);
      ExecutorService clients = Executors.newFixedThreadPool(SENT);
      Callable<String> payment = () -> pay(once, key, 10);
      for (Future<String> answer : clients.invokeAll(nCopies(SENT, payment))) {
        System.out.println("    " + answer.get());
      }
      clients.shutdown();
      System.out.println("  another amount, with the same key:");
      System.out.println("    " + pay(once, key, 99));
    }
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      System.out.println("  the first amount again, after a restart:");
      System.out.println("    " + pay(once, key, 10));
    }
    System.out.printf("The card was charged %d time.%n", charges.get());
  }

  private String pay(Once once, String key, int amount) throws Exception {
    Operation operation =
        Operation.of(Scope.of("acme", "alice"), key, "POST", "/payments", "amount=" + amount)
            .under(WAIT);
    try {
      return once.call(operation, Codec.text(), () -> charge(amount));
    } catch (RefusedException e) {
      return "refused: " + e.refusal().detail();
    }
  }

  private String charge(int amount) {
    int number = charges.incrementAndGet();
    System.out.printf("      (the card is charged with %d EUR)%n", amount);
    return "payment " + number + ": " + amount + " EUR";
  }
}
