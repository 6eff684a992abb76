package dev.once.http.servlet;

import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.http.semantics.StreamedBody;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, held back until the answer is recorded.
 *
 * <p>What is too large to keep streams to the client, piece by piece, while its digest is made; the
 * last piece is held back until the digest is recorded, so that no client has a whole answer that
 * is not. If the client leaves, the rest is read all the same.
 */
final class HeldBody {

  private static final int PIECE = 8 * 1024;

  /** So that it can be seen whether a client reads. */
  private static final int SENT_AT_ONCE = 64 * 1024;

  /** Where bytes go that may be sent. Opened when the first of them goes. */
  interface Client {
    OutputStream open() throws IOException;
  }

  private final int limit;
  private final Client client;
  private byte[] buffer = new byte[512];
  private int held;
  private long size;
  private boolean over;

  /** Null as long as the body is small enough to be kept. */
  private @Nullable StreamedBody large;

  /** Whether a piece has gone to the container, or would have if the client were still there. */
  private volatile boolean sent;

  /** Written by whoever sends. */
  private volatile long taken;

  /** Null before the first piece goes, and when the client is gone. */
  private volatile @Nullable OutputStream out;

  HeldBody(int limit, Client client) {
    this.limit = limit;
    this.client = client;
  }

  /** Nothing is taken any more: what is recorded is what is sent. */
  synchronized void end() {
    over = true;
  }

  void write(byte[] bytes, int offset, int length) {
    synchronized (this) {
      if (over) {
        return;
      }
      if (large == null && size + length <= limit) {
        size += length;
        append(bytes, offset, length);
        return;
      }
    }
    size += length;
    if (large == null && size > limit) {
      large = new StreamedBody();
      large.add(buffer, 0, held);
    }
    if (large != null) {
      large.add(bytes, offset, length);
      if (held > 0 && length > 0 && held + length > PIECE) {
        pass();
      }
    }
    append(bytes, offset, length);
  }

  private void append(byte[] bytes, int offset, int length) {
    if (held + length > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(held + length, buffer.length * 2));
    }
    System.arraycopy(bytes, offset, buffer, held, length);
    held += length;
  }

  private void pass() {
    try {
      if (!sent) {
        sent = true;
        out = client.open();
      }
      send();
    } catch (IOException | RuntimeException e) { // a container may have dropped its response
      left();
    }
    held = 0;
  }

  /** The client is gone, or has been answered: bytes are only counted from here on. */
  void left() {
    out = null;
  }

  /** Whether a part of the body has gone to the container. */
  boolean isPartlySent() {
    return sent;
  }

  long size() {
    return size;
  }

  /** Forgets all. */
  synchronized void reset() {
    held = 0;
    size = 0;
    large = null;
    sent = false;
    out = null;
    over = false;
  }

  /** What is recorded of the body, which is complete. */
  Body kept() {
    return large == null ? new Body.Full(Bytes.wrap(Arrays.copyOf(buffer, held))) : large.end();
  }

  /** Sends what is held: all of it, or the last piece. */
  void send() throws IOException {
    if (!sent && held > 0) {
      out = client.open();
    }
    OutputStream to = out;
    long before = taken;
    for (int at = 0; to != null && at < held; at += SENT_AT_ONCE) {
      int length = Math.min(SENT_AT_ONCE, held - at);
      to.write(buffer, at, length);
      taken = before + at + length;
    }
  }

  /** How many bytes the container has taken. */
  long taken() {
    return taken;
  }
}
