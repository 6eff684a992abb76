package dev.once.core.store;

import dev.once.core.Fence;
import dev.once.core.OperationId;

/**
 * The right to run an operation, for a limited time. The fence proves it: a store accepts a
 * completion, release or renewal only from the highest fence it has granted.
 *
 * @param attempt 1 for the first grant, one more for each takeover from a crashed owner
 */
public record Lease(OperationId id, Fence fence, int attempt) {

  public Lease {
    if (attempt < 1) {
      throw new IllegalArgumentException("attempt: " + attempt + " (expected: >= 1)");
    }
  }
}
