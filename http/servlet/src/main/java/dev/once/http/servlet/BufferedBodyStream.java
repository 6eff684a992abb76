package dev.once.http.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A body that was read already, as a stream. */
final class BufferedBodyStream extends ServletInputStream {

  private final ByteBuffer bytes;
  private final Executor async;
  private @Nullable ReadListener listener;

  /** Whether the listener is still to be told, later, that all was read. */
  private boolean endPending;

  BufferedBodyStream(ByteBuffer bytes, Executor async) {
    this.bytes = bytes;
    this.async = async;
  }

  @Override
  public int read() {
    int next = bytes.hasRemaining() ? bytes.get() & 0xff : -1;
    notifyEnd();
    return next;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (isFinished()) {
      return length == 0 ? 0 : -1;
    }
    int count = Math.min(length, bytes.remaining());
    bytes.get(target, offset, count);
    notifyEnd();
    return count;
  }

  @Override
  public int available() {
    return bytes.remaining();
  }

  @Override
  public boolean isFinished() {
    return !bytes.hasRemaining();
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setReadListener(ReadListener reader) {
    if (listener != null) {
      throw new IllegalStateException("setReadListener: again (expected: once)");
    }
    listener = reader;
    async.execute(
        () ->
            call(
                () -> {
                  if (!isFinished()) {
                    reader.onDataAvailable();
                  }
                  if (isFinished()) {
                    reader.onAllDataRead();
                  } else {
                    endPending = true;
                  }
                }));
  }

  /** The listener left its first call with bytes unread, and has them now. */
  private void notifyEnd() {
    if (endPending && isFinished()) {
      endPending = false;
      ReadListener reader = Objects.requireNonNull(listener);
      async.execute(() -> call(reader::onAllDataRead));
    }
  }

  private interface Call {
    void run() throws IOException;
  }

  private void call(Call call) {
    try {
      call.run();
    } catch (Throwable e) { // an Error too: nobody else would report it
      Objects.requireNonNull(listener).onError(e);
    }
  }
}
