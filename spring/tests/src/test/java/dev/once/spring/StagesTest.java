package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.testing.servers.PostgresServer;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Bean methods whose stage is no future, and cannot be made one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StagesTest {

  @Component
  static class Heard implements OnceListener {
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void ended(Execution execution, Result result) {
      told.add("ended");
    }
  }

  @Service
  static class Ledger {
    @Idempotent(key = "#key")
    public CompletionStage<String> enter(String key) {
      return noFuture(CompletableFuture.completedFuture("entered"));
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> CompletionStage<T> noFuture(CompletionStage<T> stage) {
    return (CompletionStage<T>)
        Proxy.newProxyInstance(
            StagesTest.class.getClassLoader(),
            new Class<?>[] {CompletionStage.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("toCompletableFuture")) {
                throw new UnsupportedOperationException("as its contract allows");
              }
              Object result = method.invoke(stage, arguments);
              return result instanceof CompletionStage<?> next ? noFuture(next) : result;
            });
  }

  @Test
  void are_recorded_within_a_transaction_of_their_callers_and_without() {
    try (ConfigurableApplicationContext context =
        Application.of(Heard.class, Ledger.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()))
            .start()) {
      Ledger ledger = context.getBean(Ledger.class);
      assertThat(ledger.enter("k-1").toCompletableFuture().join()).isEqualTo("entered");
      new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
          .executeWithoutResult(
              status ->
                  assertThat(ledger.enter("k-2").toCompletableFuture().join())
                      .isEqualTo("entered"));
      assertThat(context.getBean(Heard.class).told).containsExactly("ended", "ended");
    }
  }
}
