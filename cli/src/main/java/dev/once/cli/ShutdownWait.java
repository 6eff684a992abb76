package dev.once.cli;

import java.util.concurrent.CountDownLatch;

/** Waits until the process is stopped, or the thread is interrupted. */
public final class ShutdownWait {

  private ShutdownWait() {}

  /** Returns when closed: after an interrupt. At SIGTERM and SIGINT the process ends with it. */
  public static void awaitThenRun(Runnable closing) {
    Thread hook = new Thread(closing, "once-stopping");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Runtime.getRuntime().removeShutdownHook(hook);
      closing.run();
    }
  }
}
