package dev.once.test;

import static dev.once.test.OnceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventConditions;
import org.junit.platform.testkit.engine.TestExecutionResultConditions;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OnceExtensionTest {

  private static final Operation PAY =
      Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("pay"), Policy.DEFAULT);

  private static Result pay(Once once) throws Exception {
    return once.run(PAY, execution -> Answer.success(201, Body.of("paid")));
  }

  @OnceTest
  static class EachHasItsOwn {
    static final Set<Once> ENGINES = ConcurrentHashMap.newKeySet();
    static final CyclicBarrier ALL_RUN = new CyclicBarrier(4);

    @BeforeEach
    void first(Once once, TestClock clock, RecordingStore store, Store same) throws Exception {
      assertThat(store).isSameAs(same);
      assertThat(store.clock()).isSameAs(clock);
      assertThat(clock.instant()).isEqualTo(TestClock.START);
      assertThat(pay(once)).wasExecuted();
      clock.passes(Duration.ofHours(1));
    }

    @RepeatedTest(4)
    void the_key_is_new_in_each_test(Once once) throws Exception {
      ENGINES.add(once);
      ALL_RUN.await(300, TimeUnit.SECONDS);
      assertThat(pay(once)).wasReplayed();
      assertThat(once).operation("key").wasExecutedOnce().wasReplayed(1);
    }
  }

  @Test
  void each_test_has_its_own_also_in_parallel_and_all_is_closed_after_it() {
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(EachHasItsOwn.class))
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
        .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
        .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
        .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
        .execute()
        .testEvents()
        .assertStatistics(stats -> stats.started(4).succeeded(4));
    assertThat(EachHasItsOwn.ENGINES).hasSize(4);
    assertThat(EachHasItsOwn.ENGINES)
        .allSatisfy(
            once ->
                assertThatThrownBy(() -> pay(once))
                    .hasRootCauseMessage("once: closed (expected: open)"));
  }

  @OnceTest
  static class BeforeAllOfThem {
    @BeforeAll
    static void too_early(Once once) {
      org.junit.jupiter.api.Assertions.assertNull(once, "there is none");
    }

    @Test
    void never() {}
  }

  @OnceTest
  static class InTheConstructor {
    InTheConstructor(Once once) {
      org.junit.jupiter.api.Assertions.assertNull(once, "there is none");
    }

    @Test
    void never() {}
  }

  @Test
  void what_would_be_shared_by_tests_is_refused_with_the_reason() {
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(BeforeAllOfThem.class), selectClass(InTheConstructor.class))
        .execute()
        .allEvents()
        .failed()
        .assertThatEvents()
        .hasSize(2)
        .are(
            EventConditions.finishedWithFailure(
                TestExecutionResultConditions.message(
                    message -> message.contains("(expected: of a test, @BeforeEach"))));
  }

  @Nested
  class WithOtherSettings {
    @RegisterExtension
    static final OnceExtension ONCE =
        new OnceExtension(
            builder -> builder.failureAnswer(e -> Answer.failure(503, Body.of("sorry"))));

    @Test
    void an_engine_can_have_other_settings(Once once) {
      assertThatThrownBy(
              () ->
                  once.run(
                      PAY,
                      execution -> {
                        throw new IllegalStateException("broken");
                      }))
          .hasMessage("broken");
      assertThat(once).operation("key").wasExecutedOnce().hasAnswer(503, "sorry");
    }
  }
}
