package dev.once.http.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.util.concurrent.Executor;

/** Bytes for a {@link HeldResponse}. There is always room for more. */
final class HeldStream extends ServletOutputStream {

  private final HeldResponse response;
  private final Executor async;

  HeldStream(HeldResponse response, Executor async) {
    this.response = response;
    this.async = async;
  }

  @Override
  public void write(int b) {
    response.writeBody(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    response.writeBody(bytes, offset, length);
  }

  @Override
  public void flush() {
    response.flushBuffer();
  }

  @Override
  public void close() {
    response.close();
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setWriteListener(WriteListener listener) {
    async.execute(
        () -> {
          try {
            listener.onWritePossible();
          } catch (Throwable e) { // an Error too: nobody else would report it
            listener.onError(e);
          }
        });
  }
}
