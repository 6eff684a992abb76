package dev.once.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TestClockTest {

  private final TestClock clock = new TestClock();
  private final List<String> ran = new ArrayList<>();

  @Test
  void time_stands_still_until_it_is_let_pass() {
    assertThat(clock.instant()).isEqualTo(TestClock.START);
    clock.passes(Duration.ofHours(24));
    assertThat(clock.instant()).isEqualTo(TestClock.START.plus(Duration.ofHours(24)));
    assertThat(clock.nanoTime()).isEqualTo(Duration.ofHours(24).toNanos());
  }

  @Test
  void what_falls_due_runs_in_order_and_sees_its_own_time() {
    clock.schedule(Duration.ofSeconds(2), () -> ran.add("second at " + clock.instant()));
    clock.schedule(Duration.ofSeconds(1), () -> ran.add("first at " + clock.instant()));
    clock.schedule(Duration.ofSeconds(2), () -> ran.add("third"));
    clock.schedule(Duration.ofSeconds(4), () -> ran.add("not yet"));
    clock.passes(Duration.ofSeconds(3));
    assertThat(ran)
        .containsExactly(
            "first at 2026-01-01T00:00:01Z", "second at 2026-01-01T00:00:02Z", "third");
    assertThat(clock.instant()).isEqualTo(TestClock.START.plusSeconds(3));
  }

  @Test
  void what_a_task_schedules_runs_in_the_same_passing_of_time_if_it_falls_due() {
    clock.schedule(
        Duration.ofSeconds(1), () -> clock.schedule(Duration.ofSeconds(1), () -> ran.add("next")));
    clock.passes(Duration.ofSeconds(2));
    assertThat(ran).containsExactly("next");
  }

  @Test
  void a_cancelled_task_does_not_run() {
    clock.schedule(Duration.ofSeconds(1), () -> ran.add("cancelled")).cancel();
    clock.passes(Duration.ofSeconds(2));
    assertThat(ran).isEmpty();
  }

  @Test
  void it_can_be_set_to_an_instant_that_is_not_in_the_past() {
    Instant later = Instant.parse("2026-02-01T00:00:00Z");
    clock.passesUntil(later);
    assertThat(clock.instant()).isEqualTo(later);
    assertThatThrownBy(() -> clock.passesUntil(TestClock.START))
        .hasMessage("duration: PT-744H (expected: >= 0); a store's clock never goes back");
  }

  @Test
  void it_is_a_clock_in_any_zone() {
    var there = clock.withZone(ZoneId.of("Asia/Tokyo"));
    clock.passes(Duration.ofHours(1));
    assertThat(there.instant()).isEqualTo(clock.instant());
    assertThat(there.getZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
  }

  @Test
  void threads_that_let_time_pass_at_once_add_up_and_run_each_task_once() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    for (int i = 1; i <= 1000; i++) {
      clock.schedule(Duration.ofMillis(i), runs::incrementAndGet);
    }
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                await(start);
                for (int step = 0; step < 250; step++) {
                  clock.passes(Duration.ofMillis(1));
                }
              });
      thread.start();
      threads.add(thread);
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(clock.nanoTime()).isEqualTo(Duration.ofSeconds(1).toNanos());
    assertThat(runs).hasValue(1000);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
