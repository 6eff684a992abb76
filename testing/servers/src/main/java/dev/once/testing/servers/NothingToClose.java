package dev.once.testing.servers;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;

/**
 * Where a server is not to be had, what starts it skips the test; and JUnit still calls what closes
 * it, which finds null. That is not a failure: the test stays skipped. JUnit finds this extension
 * by itself, in all modules that use these servers.
 */
public final class NothingToClose implements LifecycleMethodExecutionExceptionHandler {

  private static final Namespace NAMESPACE = Namespace.create(NothingToClose.class);
  private static final String SKIPPED = "skipped";

  @Override
  public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    remember(context, thrown);
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    remember(context, thrown);
  }

  @Override
  public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    forgive(context, thrown);
  }

  @Override
  public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    forgive(context, thrown);
  }

  /** The class is of a library that JUnit brings, which is not named here. */
  private static void remember(ExtensionContext context, Throwable thrown) throws Throwable {
    if (thrown.getClass().getSimpleName().equals("TestAbortedException")) {
      context.getStore(NAMESPACE).put(SKIPPED, true);
    }
    throw thrown;
  }

  private static void forgive(ExtensionContext context, Throwable thrown) throws Throwable {
    boolean skipped = context.getStore(NAMESPACE).get(SKIPPED) != null;
    if (!skipped || !(thrown instanceof NullPointerException)) {
      throw thrown;
    }
  }
}
