package dev.once.cli;

import java.util.concurrent.CountDownLatch;

/** Waits for the end of the process, or of the thread. */
public final class UntilStopped {

  private UntilStopped() {}

  /** Returns when closed: after an interrupt. At SIGTERM and SIGINT the process ends with it. */
  public static void close(Runnable closing) {
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
