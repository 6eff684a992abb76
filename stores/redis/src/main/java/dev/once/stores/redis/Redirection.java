package dev.once.stores.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster has refused a step, and done nothing: another one has its key.
 *
 * @param asking whether that one wants to be asked for this key alone: its slot is being moved
 */
record Redirection(boolean asking, String host, int port) {

  private static final Pattern REFUSAL = Pattern.compile("(ASK|MOVED) \\d+ (.+):(\\d+).*");

  /** Null if this failure is none. */
  static @Nullable Redirection of(Throwable failure) {
    if (!(failure instanceof RedisCommandExecutionException) || failure.getMessage() == null) {
      return null;
    }
    Matcher refusal = REFUSAL.matcher(failure.getMessage());
    return refusal.matches()
        ? new Redirection(
            refusal.group(1).equals("ASK"), refusal.group(2), Integer.parseInt(refusal.group(3)))
        : null;
  }
}
