package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.once.core.Answer;
import dev.once.core.RefusedException;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;

/** An interrupt that comes while the end of a bean method is recorded. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class InterruptedMethodTest {

  /** Interrupts whoever has an answer recorded, before it has replied. */
  static final class InterruptingStore extends ForwardingStore {
    private final CompletableFuture<Void> gate = new CompletableFuture<>();

    InterruptingStore() {
      super(new MemoryStore());
    }

    @Override
    public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
      Thread.currentThread().interrupt();
      return gate.thenCompose(any -> super.complete(lease, answer, retention));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Keys {
    @Bean
    InterruptingStore store() {
      return new InterruptingStore();
    }
  }

  @Service
  static class Ledger {
    @Idempotent(key = "#key")
    public String enter(String key) {
      return "entered";
    }

    @Idempotent(key = "#key")
    public String decline(String key) {
      throw new IllegalArgumentException("declined");
    }
  }

  @Test
  void does_not_hide_what_it_came_to() {
    try (ConfigurableApplicationContext context =
        Application.of(Keys.class, Ledger.class)
            .withoutWeb()
            .with("once.store.url", null)
            .start()) {
      Ledger ledger = context.getBean(Ledger.class);
      Throwable refused = catchThrowable(() -> ledger.enter("k-1"));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(refused).isInstanceOf(RefusedException.class);
      assertThat(((RefusedException) refused).hasRun()).isTrue();

      Throwable thrown = catchThrowable(() -> ledger.decline("k-2"));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(thrown).isInstanceOf(IllegalArgumentException.class).hasMessage("declined");

      context.getBean(InterruptingStore.class).gate.complete(null);
    }
  }
}
