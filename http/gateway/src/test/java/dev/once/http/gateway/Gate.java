package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds whoever passes through, until a test opens it. */
final class Gate {

  static final int TIMEOUT_SECONDS = 300;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  /** Waits here until the gate is open. */
  void pass() throws InterruptedException {
    reached.countDown();
    assertThat(opened.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("gate opened").isTrue();
  }

  /** Waits until somebody stands at the gate. */
  void awaitReached() throws InterruptedException {
    assertThat(reached.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("gate reached").isTrue();
  }

  void open() {
    opened.countDown();
  }
}
