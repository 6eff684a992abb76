package dev.once.testing.servers;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

@DisplayNameGeneration(ReplaceUnderscores.class)
class NothingToCloseTest {

  private static RedisServer none() {
    return Assumptions.abort("no servers here");
  }

  @ExtendWith(NothingToClose.class)
  static class SharedByAll {
    private static RedisServer server;

    @BeforeAll
    static void start() {
      server = none();
    }

    @AfterAll
    static void stop() throws Exception {
      server.close();
    }

    @Test
    void asks() {}
  }

  @ExtendWith(NothingToClose.class)
  static class OneForEach {
    private RedisServer server;

    @BeforeEach
    void start() {
      server = none();
    }

    @AfterEach
    void stop() throws Exception {
      server.close();
    }

    @Test
    void asks() {}
  }

  @ExtendWith(NothingToClose.class)
  static class Mistaken {
    private RedisServer server;

    @AfterEach
    void stop() throws Exception {
      server.close();
    }

    @Test
    void asks() {}
  }

  @Test
  void a_class_whose_server_is_not_to_be_had_is_skipped_and_does_not_fail() {
    run(SharedByAll.class).containerEvents().assertStatistics(it -> it.aborted(1).failed(0));
  }

  @Test
  void so_is_a_test_with_a_server_of_its_own() {
    run(OneForEach.class).testEvents().assertStatistics(it -> it.aborted(1).failed(0));
  }

  @Test
  void who_was_not_skipped_and_closes_nothing_fails() {
    run(Mistaken.class).testEvents().assertStatistics(it -> it.failed(1));
  }

  private static EngineExecutionResults run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(tests)).execute();
  }
}
