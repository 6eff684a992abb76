package dev.once.http.gateway;

import dev.once.core.Bytes;
import dev.once.http.gateway.HeldBytes.Use;
import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.Arrays;

/**
 * A body that is read whole, within the budget: what its array takes is what it has taken of it.
 * Belongs to one event loop. Whoever has one frees it; twice does no harm.
 */
final class HeldBody {

  private static final byte[] NOTHING = {};
  private static final int FIRST = 1024;

  private final HeldBytes budget;
  private final Use use;
  private byte[] bytes = NOTHING;
  private int size;
  private boolean freed;

  HeldBody(HeldBytes budget, Use use) {
    this.budget = budget;
    this.use = use;
  }

  /**
   * Makes room for more bytes; false if the budget has none.
   *
   * @param most what the whole may have at most; the least that is asked for if its size is known
   */
  boolean makeRoom(int more, int most) {
    int lacking = lacking(more, most);
    if (lacking > 0 && !budget.take(lacking, use)) {
      return false;
    }
    grow(lacking);
    return true;
  }

  /** Makes room as soon as the budget has some, for a limited time. */
  void awaitRoom(
      int more,
      int most,
      Context context,
      IdleTimeouts timeouts,
      Runnable onTaken,
      Runnable onTimeout) {
    int lacking = lacking(more, most);
    budget.await(
        lacking,
        use,
        context,
        timeouts,
        () -> {
          if (freed) {
            budget.release(lacking); // whoever waited is gone
          } else {
            grow(lacking);
            onTaken.run();
          }
        },
        () -> {
          if (!freed) {
            onTimeout.run();
          }
        });
  }

  private int lacking(int more, int most) {
    int needed = size + more;
    if (needed <= bytes.length) {
      return 0;
    }
    int roomy = Math.max(Math.max(needed, FIRST), bytes.length * 2);
    return Math.max(needed, Math.min(most, roomy)) - bytes.length;
  }

  private void grow(int by) {
    if (by > 0) {
      bytes = Arrays.copyOf(bytes, bytes.length + by);
    }
  }

  /** Adds a piece for which room was made. */
  void add(Buffer piece) {
    piece.getBytes(bytes, size);
    size += piece.length();
  }

  int size() {
    return size;
  }

  /** A view, to be sent. */
  Buffer buffer() {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes, 0, size));
  }

  Bytes bytes() {
    return Bytes.wrap(size == bytes.length ? bytes : Arrays.copyOf(bytes, size));
  }

  /** Gives its room back; what was made of it may still be in use for a moment. */
  void free() {
    if (!freed) {
      freed = true;
      budget.release(bytes.length);
      bytes = NOTHING;
      size = 0;
    }
  }
}
