package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the body of an answer whole, up to a limit. Exactly one of the three ways is taken. */
final class WholeBody {

  private final int limit;
  private final Wait wait;
  private final Consumer<@Nullable Buffer> whole;
  private final Consumer<Buffer> tooLarge;
  private final Consumer<Throwable> failed;
  private @Nullable Buffer body;
  private boolean over;

  private WholeBody(
      int limit,
      Wait wait,
      Consumer<@Nullable Buffer> whole,
      Consumer<Buffer> tooLarge,
      Consumer<Throwable> failed) {
    this.limit = limit;
    this.wait = wait;
    this.whole = whole;
    this.tooLarge = tooLarge;
    this.failed = failed;
  }

  /**
   * Starts to read.
   *
   * @param wait for the upstream's next move; over with the last one
   * @param whole gets the body, null if it is empty
   * @param tooLarge gets the beginning of a body over the limit, and takes the response over
   * @param failed gets what cut it off
   */
  static void read(
      HttpClientResponse response,
      int limit,
      Wait wait,
      Consumer<@Nullable Buffer> whole,
      Consumer<Buffer> tooLarge,
      Consumer<Throwable> failed) {
    WholeBody reader = new WholeBody(limit, wait, whole, tooLarge, failed);
    response.handler(reader::read).endHandler(end -> reader.end()).exceptionHandler(reader::fail);
  }

  private void read(Buffer chunk) {
    wait.moved();
    body = body == null ? chunk : body.appendBuffer(chunk);
    if (body.length() > limit) {
      over = true;
      tooLarge.accept(body);
    }
  }

  private void end() {
    if (!over) {
      over = true;
      wait.end();
      whole.accept(body);
    }
  }

  private void fail(Throwable failure) {
    if (!over) {
      over = true;
      wait.end();
      failed.accept(failure);
    }
  }
}
