package dev.once.http.gateway;

/**
 * Ends the process when memory ran out. A thread that runs out of memory may leave anything half
 * done, and an event loop that dies takes its connections with it. A process that has ended is
 * restarted; one that hangs is not.
 *
 * <p>{@code -XX:+ExitOnOutOfMemoryError} does this for the heap. It does not see what Java code
 * throws itself, as for memory outside of the heap.
 */
final class OutOfMemory {

  /** As the JVM's flag has it. */
  private static final int EXIT_CODE = 3;

  private OutOfMemory() {}

  /** Does not return if that is the cause. */
  static void exitIfCausedBy(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        System.err.println("once: out of memory, so this process ends: " + cause.getMessage());
        Runtime.getRuntime().halt(EXIT_CODE);
      }
    }
  }
}
