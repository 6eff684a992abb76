package dev.once.http.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The body of an answer, as long as it is of a size that an answer may have. */
final class LimitedBody implements BodySubscriber<byte[]> {

  /** Far more than a receipt or a problem has; many are held at once. */
  static final int LONGEST = 1024 * 1024;

  /** Whoever sends so much is not to be listened to. */
  static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1;

    TooLargeException(String what) {
      super(what + " of the answer: more than 1 MB");
    }
  }

  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  @Override
  public CompletionStage<byte[]> getBody() {
    return whole;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscribed) {
    subscription = subscribed;
    subscribed.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (whole.isDone()) {
        return;
      }
      if (bytes.size() + buffer.remaining() > LONGEST) {
        whole.completeExceptionally(new TooLargeException("body"));
        if (subscription != null) {
          subscription.cancel();
        }
        return;
      }
      byte[] piece = new byte[buffer.remaining()];
      buffer.get(piece);
      bytes.writeBytes(piece);
    }
  }

  @Override
  public void onError(Throwable failure) {
    whole.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    whole.complete(bytes.toByteArray());
  }
}
