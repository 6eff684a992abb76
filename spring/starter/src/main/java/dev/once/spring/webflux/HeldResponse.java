package dev.once.spring.webflux;

import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.StreamedBody;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.util.context.ContextView;

/**
 * A response that is held back until it is recorded: status, headers, cookies, and the body up to
 * the limit.
 *
 * <p>A larger body streams to the client while its digest is made, from the piece on that comes
 * when more is held than can be kept. The last piece is held back until the digest is recorded, so
 * that no client has a whole answer that is not. The body has two readers: if the client leaves,
 * the other one reads on to the end and records all the same.
 */
final class HeldResponse extends ServerHttpResponseDecorator {

  private static final byte[] EMPTY = new byte[0];

  /** Records the digest of a body that streams to the client. */
  interface Recording {
    /** False if it is not recorded: then the client is cut off. */
    Mono<Boolean> record(Body digest);

    /** The handler did not write the body to its end. */
    void bodyFailed(Throwable failure);
  }

  /** Makes the server cut off an answer that cannot be taken back. */
  static final class NotRecordedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotRecordedException() {
      super("answer: partly sent, and not recorded (expected: recorded); cut off");
    }
  }

  private final Client client;
  private final ServerHttpResponse clientResponse;
  private final int maxStoredBody;

  private final Recording recording;

  /** What filters outside have set; a replay gets what they set at that time. */
  private final Map<String, List<String>> outerHeaders;

  private final HttpHeaders headers = new HttpHeaders();
  private final MultiValueMap<String, ResponseCookie> cookies = new LinkedMultiValueMap<>();
  private final List<Supplier<? extends Mono<Void>>> beforeCommit = new CopyOnWriteArrayList<>();
  private final AtomicBoolean committed = new AtomicBoolean();
  private volatile @Nullable HttpStatusCode status;

  /** The body of the answer: the first that came to its end, or streams. */
  private volatile @Nullable HeldBody body;

  /** Whether the client may have part of the body. */
  private volatile boolean streaming;

  /** Whether its writer cancelled the body that streams. */
  private volatile boolean cancelledByWriter;

  /** Why the body that streams did not come to its end; null if it did, or still may. */
  private volatile @Nullable Throwable streamFailure;

  HeldResponse(Client client, int maxStoredBody, Recording recording) {
    super(client.response());
    this.client = client;
    this.clientResponse = client.response();
    this.maxStoredBody = maxStoredBody;
    this.recording = recording;
    status = client.status();
    outerHeaders = client.fields();
    outerHeaders.forEach(headers::addAll);
    cookies.addAll(client.cookies());
  }

  // What the handler sees.

  @Override
  public boolean setStatusCode(@Nullable HttpStatusCode code) {
    if (committed.get()) {
      return false;
    }
    status = code;
    return true;
  }

  @Override
  public @Nullable HttpStatusCode getStatusCode() {
    return status;
  }

  @Override
  public boolean setRawStatusCode(@Nullable Integer code) {
    return setStatusCode(code == null ? null : HttpStatusCode.valueOf(code));
  }

  /** Gone in Spring 7. */
  @Override
  @Deprecated
  @SuppressWarnings("removal")
  public @Nullable Integer getRawStatusCode() {
    HttpStatusCode code = status;
    return code == null ? null : code.value();
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public MultiValueMap<String, ResponseCookie> getCookies() {
    return cookies;
  }

  @Override
  public void addCookie(ResponseCookie cookie) {
    cookies.add(cookie.getName(), cookie);
  }

  @Override
  public void beforeCommit(Supplier<? extends Mono<Void>> action) {
    beforeCommit.add(action);
  }

  @Override
  public boolean isCommitted() {
    return committed.get();
  }

  @Override
  public Mono<Void> setComplete() {
    return commit(null);
  }

  @Override
  public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
    return write(body, false);
  }

  @Override
  public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
    return write(Flux.from(body).concatMap(Function.identity()), true);
  }

  /**
   * Runs what is to happen before the head is fixed, and fixes it. If that fails, the head stays
   * open, so that an error can be answered.
   *
   * @param ofBody the body of the answer; null if there is none
   */
  private Mono<Void> commit(@Nullable HeldBody ofBody) {
    return Mono.defer(
        () -> {
          if (!committed.compareAndSet(false, true)) {
            return Mono.empty();
          }
          body = ofBody;
          return Flux.fromIterable(List.copyOf(beforeCommit))
              .concatMap(Supplier::get)
              .then()
              .doOnError(
                  failure -> {
                    beforeCommit.clear();
                    body = null;
                    committed.set(false);
                  });
        });
  }

  // The body.

  /** What is written after the answer is complete is dropped, as without a key. */
  private Mono<Void> write(Publisher<? extends DataBuffer> body, boolean flush) {
    return Mono.deferContextual(
        context -> committed.get() ? Mono.empty() : new HeldBody(flush).write(body, context));
  }

  private static byte[] bytes(DataBuffer buffer) {
    byte[] bytes = new byte[buffer.readableByteCount()];
    buffer.read(bytes);
    DataBufferUtils.release(buffer);
    return bytes;
  }

  /**
   * One body. It has two readers, who get each piece at the same time: the record, and the client.
   * A body that can be kept is recorded when all is done.
   */
  private final class HeldBody {
    private final boolean flush;
    private final StreamedBody digest = new StreamedBody();
    private final Disposable.Swap subscription = Disposables.swap();

    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    /** Sets the head, before anything of a body is sent. False if the answer has another body. */
    private final Mono<Boolean> head =
        commit(this).then(Mono.fromSupplier(this::startStreaming)).cache();

    private volatile boolean tooLarge;

    private volatile boolean streams;

    /** Whether it is sent to the client; false if that has left, or a filter outside answered. */
    private volatile boolean toClient;

    HeldBody(boolean flush) {
      this.flush = flush;
    }

    private boolean startStreaming() {
      streams = body == this;
      if (streams) {
        streaming = true;
        toClient = client.setIfOpen(HeldResponse.this::setHead);
      }
      return streams;
    }

    Mono<Void> write(Publisher<? extends DataBuffer> body, ContextView context) {
      Flux<byte[]> pieces =
          Flux.from(body).map(HeldResponse::bytes).publish(1).autoConnect(2, subscription::update);
      // The source has the context of whoever comes first: that of the one who writes.
      Mono<Boolean> recorded =
          record(pieces).contextWrite(current -> current.putAll(context)).cache();
      recorded.subscribe(any -> {}, failure -> {});
      return pieces
          .<byte[]>handle(
              (piece, sink) -> {
                byte[] ready = hold(piece);
                if (ready.length > 0) {
                  sink.next(ready);
                }
              })
          .concatWith(Mono.defer(() -> tooLarge ? lastPiece(recorded) : Mono.empty()))
          .map(clientResponse.bufferFactory()::wrap)
          .switchOnFirst(
              (first, rest) -> (first.hasValue() ? stream(rest) : rest.then(commit(this))).flux())
          .then()
          .doOnError(this::bodyFailed)
          .doFinally(
              end -> { // when the client's part is cancelled already, and hears nothing of it
                if (end == SignalType.CANCEL) {
                  writerCancelled();
                }
              });
    }

    /** If the body was not streaming yet, an error can be answered, without its content headers. */
    private void bodyFailed(Throwable failure) {
      if (streams) {
        streamFailure = failure;
        return;
      }
      subscription.dispose();
      if (!committed.get()) {
        headers.clearContentHeaders();
      }
    }

    /**
     * Cancelled by its writer; a client that leaves cancels only what is sent to it. Whoever learns
     * the reason records the failure.
     */
    private void writerCancelled() {
      cancelledByWriter = streams;
      bodyFailed(new CancellationException("body: cancelled (expected: written to its end)"));
      subscription.dispose();
    }

    /** Holds a piece, and returns what can be sent; nothing as long as the body can be kept. */
    private byte[] hold(byte[] piece) {
      byte[] ready = EMPTY;
      tooLarge |= held.size() > maxStoredBody;
      if (tooLarge) {
        ready = held.toByteArray();
        held.reset();
      }
      held.writeBytes(piece);
      return ready;
    }

    private Mono<Void> stream(Flux<DataBuffer> rest) {
      return head.flatMap(
          isAnswer -> {
            if (!isAnswer) {
              subscription.dispose();
              return Mono.empty();
            }
            if (!toClient) {
              return rest.doOnNext(DataBufferUtils::release).then();
            }
            return flush
                ? clientResponse.writeAndFlushWith(rest.map(Mono::just))
                : clientResponse.writeWith(rest);
          });
    }

    private Mono<byte[]> lastPiece(Mono<Boolean> recorded) {
      return recorded.flatMap(
          is -> is ? Mono.just(held.toByteArray()) : Mono.error(new NotRecordedException()));
    }

    private Mono<Boolean> recordIfAnswer(boolean isAnswer) {
      return isAnswer ? recording.record(digest.end()) : Mono.just(true);
    }

    private Mono<Boolean> record(Flux<byte[]> pieces) {
      return pieces
          .doOnNext(digest::add)
          .then(Mono.defer(() -> tooLarge ? head.flatMap(this::recordIfAnswer) : Mono.just(true)))
          .doOnError(
              failure -> {
                if (streams && !cancelledByWriter) {
                  recording.bodyFailed(failure);
                }
              });
    }
  }

  // Its end.

  /** Whether the answer is sent while it is written; it is recorded at its end, or aborted. */
  boolean isStreaming() {
    return streaming;
  }

  boolean isCancelledByWriter() {
    return cancelledByWriter;
  }

  /**
   * The handler has ended; the head is fixed, if it is not yet. Fails if the body that streams
   * broke off: somebody may have answered that, but the client has half of it.
   */
  Mono<Void> finish() {
    return Mono.defer(
        () -> {
          Throwable failure = streamFailure;
          return failure == null ? commit(null) : Mono.error(failure);
        });
  }

  int status() {
    HttpStatusCode code = status;
    return code == null ? 200 : code.value();
  }

  /** Those that the handler has set, or changed. */
  List<Header> fields() {
    List<Header> fields = new ArrayList<>();
    headers.forEach(
        (name, lines) -> {
          if (!lines.equals(outerHeaders.get(name))) {
            lines.forEach(line -> fields.add(new Header(name, line)));
          }
        });
    return fields;
  }

  Body bodyToRecord() {
    return new Body.Full(Bytes.wrap(bytes()));
  }

  private byte[] bytes() {
    HeldBody current = body;
    return current == null ? EMPTY : current.held.toByteArray();
  }

  /** Forgets an answer that was begun, so that an error can be answered. */
  void clear(int code) {
    body = null;
    headers.clear();
    outerHeaders.forEach(headers::addAll);
    cookies.clear();
    status = HttpStatusCode.valueOf(code);
  }

  /** Sends what is held, unless the client has left. */
  Mono<Void> send() {
    if (!client.setIfOpen(this::setHead)) {
      return Mono.empty();
    }
    byte[] bytes = bytes();
    return bytes.length == 0
        ? clientResponse.setComplete()
        : clientResponse.writeWith(
            Mono.fromSupplier(() -> clientResponse.bufferFactory().wrap(bytes)));
  }

  private void setHead() {
    clientResponse.setStatusCode(status);
    clientResponse.getHeaders().clear();
    headers.forEach(
        (name, lines) ->
            lines.forEach(line -> clientResponse.getHeaders().add(name, Client.sendable(line))));
    clientResponse.getCookies().clear();
    cookies.values().forEach(named -> named.forEach(clientResponse::addCookie));
  }
}
