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

  private static final int CHUNK = 8 * 1024;

  /** Small enough to see from the count of bytes sent whether a client still reads. */
  private static final int MAX_WRITE = 64 * 1024;

  /** Where the bytes are sent to. Opened when the first of them is sent. */
  interface Sink {
    OutputStream open() throws IOException;
  }

  private final int limit;
  private final Sink sink;
  private byte[] buffer = new byte[512];
  private int held;
  private long size;
  private boolean ended;

  /** Null as long as the body is small enough to be kept. */
  private @Nullable StreamedBody streamed;

  /** Whether a part was written to the container, or would have been if the client were there. */
  private volatile boolean partlyWritten;

  /** Only the thread that sends changes it. */
  private volatile long bytesSent;

  /** Null before the first part is written, and when the client is gone. */
  private volatile @Nullable OutputStream out;

  HeldBody(int limit, Sink sink) {
    this.limit = limit;
    this.sink = sink;
  }

  /** Takes no more bytes: what is recorded must be what is sent. */
  synchronized void end() {
    ended = true;
  }

  void write(byte[] bytes, int offset, int length) {
    synchronized (this) {
      if (ended) {
        return;
      }
      if (streamed == null && size + length <= limit) {
        size += length;
        append(bytes, offset, length);
        return;
      }
    }
    size += length;
    if (streamed == null && size > limit) {
      streamed = new StreamedBody();
      streamed.add(buffer, 0, held);
    }
    if (streamed != null) {
      streamed.add(bytes, offset, length);
      if (held > 0 && length > 0 && held + length > CHUNK) {
        writeChunk();
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

  private void writeChunk() {
    try {
      if (!partlyWritten) {
        partlyWritten = true;
        out = sink.open();
      }
      send();
    } catch (IOException | RuntimeException e) { // a container may have dropped its response
      stopSending();
    }
    held = 0;
  }

  /** The client is gone, or has been answered: bytes are only counted from here on. */
  void stopSending() {
    out = null;
  }

  /** Whether a part of the body was written to the container. */
  boolean isPartlyWritten() {
    return partlyWritten;
  }

  long size() {
    return size;
  }

  /** Forgets all. */
  synchronized void reset() {
    held = 0;
    size = 0;
    streamed = null;
    partlyWritten = false;
    out = null;
    ended = false;
  }

  /** What is recorded of the body, once it is complete. */
  Body toRecord() {
    return streamed == null
        ? new Body.Full(Bytes.wrap(Arrays.copyOf(buffer, held)))
        : streamed.end();
  }

  /** Sends what is held: the whole body, or its last part. */
  void send() throws IOException {
    if (!partlyWritten && held > 0) {
      out = sink.open();
    }
    OutputStream to = out;
    long before = bytesSent;
    for (int at = 0; to != null && at < held; at += MAX_WRITE) {
      int length = Math.min(MAX_WRITE, held - at);
      to.write(buffer, at, length);
      bytesSent = before + at + length;
    }
  }

  /** How many bytes were written to the container. */
  long bytesSent() {
    return bytesSent;
  }
}
