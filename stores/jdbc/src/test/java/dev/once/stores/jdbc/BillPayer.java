package dev.once.stores.jdbc;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A process that pays a list of bills, as another one does at the same time. It prints, for each,
 * whether it ran, and the answer that it got.
 */
final class BillPayer {

  static final int BILLS = 200;
  private static final int THREADS = 4;

  private BillPayer() {}

  /** Arguments: the file, and a name. */
  public static void main(String[] arguments) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (JdbcStore store = JdbcStore.sqlite(Path.of(arguments[0]));
        Once once = Once.builder(store).storeTimeout(Duration.ofMinutes(1)).build()) {
      for (int i = 0; i < BILLS; i++) {
        String bill = "bill-" + i;
        for (int copy = 0; copy < 2; copy++) {
          threads.execute(() -> System.out.println(pay(once, bill, arguments[1])));
        }
      }
      threads.shutdown();
      threads.awaitTermination(10, TimeUnit.MINUTES);
    }
  }

  private static String pay(Once once, String bill, String name) {
    Operation operation =
        Operation.of(
            Scope.GLOBAL,
            Key.of(bill),
            Fingerprint.of(bill),
            Policy.DEFAULT.with(policy -> policy.onBusy(OnBusy.WAIT)));
    try {
      Result result =
          once.run(
              operation,
              execution -> Answer.success(201, Body.of(name + "/" + execution.fence().get())));
      if (result instanceof Result.Executed executed) {
        return bill + " executed " + text(executed.answer());
      }
      return result instanceof Result.Replayed replayed
          ? bill + " replayed " + text(replayed.answer())
          : bill + " refused " + result;
    } catch (Exception e) {
      return bill + " failed " + e;
    }
  }

  private static String text(Answer answer) {
    return ((Body.Full) answer.body()).bytes().toUtf8();
  }
}
