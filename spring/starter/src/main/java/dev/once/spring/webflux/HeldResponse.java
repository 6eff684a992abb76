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
 * that no client has a whole answer that is not. The body is read for two: if the client leaves,
 * the other one reads on to the end and records all the same.
 */
final class HeldResponse extends ServerHttpResponseDecorator {

  private static final byte[] NOTHING = new byte[0];

  /** Where a body goes that streams to the client. */
  interface Recording {
    /** False if it is not recorded: then the client is cut off. */
    Mono<Boolean> record(Body digest);

    /** The handler did not write it to the end. */
    void cutShort(Throwable failure);
  }

  /** Makes the server cut off an answer that cannot be taken back. */
  static final class NotRecordedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotRecordedException() {
      super("answer: partly sent, and not recorded (expected: recorded); cut off");
    }
  }

  private final Client client;
  private final ServerHttpResponse real;
  private final int limit;

  private final Recording recording;

  /** What filters outside have set; a replay gets what they set then. */
  private final Map<String, List<String>> before;

  private final HttpHeaders headers = new HttpHeaders();
  private final MultiValueMap<String, ResponseCookie> cookies = new LinkedMultiValueMap<>();
  private final List<Supplier<? extends Mono<Void>>> beforeCommit = new CopyOnWriteArrayList<>();
  private final AtomicBoolean committed = new AtomicBoolean();
  private volatile @Nullable HttpStatusCode status;

  /** The body that the answer has: the first that came to its end, or streams. */
  private volatile @Nullable HeldBody body;

  /** Whether the client may have part of the body. */
  private volatile boolean streaming;

  /** Whether the body that streams was given up by whoever wrote it. */
  private volatile boolean givenUp;

  /** What broke the body off that streams; null if nothing did. */
  private volatile @Nullable Throwable broken;

  HeldResponse(Client client, int limit, Recording recording) {
    super(client.response());
    this.client = client;
    this.real = client.response();
    this.limit = limit;
    this.recording = recording;
    status = client.status();
    before = client.fields();
    before.forEach(headers::addAll);
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
   * What is to happen before the head is fixed; then it is. If that fails it is not, so that an
   * error can be answered.
   *
   * @param of whose body it is; null if there is none
   */
  private Mono<Void> commit(@Nullable HeldBody of) {
    return Mono.defer(
        () -> {
          if (!committed.compareAndSet(false, true)) {
            return Mono.empty();
          }
          body = of;
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

  /** What is written after an answer is whole goes nowhere, as without a key. */
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
   * One body. Read for two, who get each piece at the same time: the record, and the client. One
   * that can be kept is recorded when all is done.
   */
  private final class HeldBody {
    private final boolean flush;
    private final StreamedBody passing = new StreamedBody();
    private final Disposable.Swap reading = Disposables.swap();

    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    /** The head of a body that streams: before it is sent, nothing is. False if another was. */
    private final Mono<Boolean> head = commit(this).then(Mono.fromSupplier(this::begin)).cache();

    private volatile boolean large;

    private volatile boolean streams;

    /** Whether it streams to the client; false if that has left, or somebody outside answered. */
    private volatile boolean sent;

    HeldBody(boolean flush) {
      this.flush = flush;
    }

    private boolean begin() {
      streams = body == this;
      if (streams) {
        streaming = true;
        sent = client.isSet(HeldResponse.this::setHead);
      }
      return streams;
    }

    Mono<Void> write(Publisher<? extends DataBuffer> body, ContextView context) {
      Flux<byte[]> pieces =
          Flux.from(body).map(HeldResponse::bytes).publish(1).autoConnect(2, reading::update);
      // The source has the context of whoever comes first: that of the one who writes.
      Mono<Boolean> recorded = record(pieces).contextWrite(own -> own.putAll(context)).cache();
      recorded.subscribe(any -> {}, failure -> {});
      return pieces
          .<byte[]>handle(
              (piece, sink) -> {
                byte[] ready = keep(piece);
                if (ready.length > 0) {
                  sink.next(ready);
                }
              })
          .concatWith(Mono.defer(() -> large ? lastPiece(recorded) : Mono.empty()))
          .map(real.bufferFactory()::wrap)
          .switchOnFirst(
              (first, rest) -> (first.hasValue() ? stream(rest) : rest.then(commit(this))).flux())
          .then()
          .doOnError(this::brokeOff)
          .doFinally(
              end -> { // when the client's part is cancelled already, and hears nothing of it
                if (end == SignalType.CANCEL) {
                  giveUp();
                }
              });
    }

    /** An error is answered with nothing of a body that broke off, and nothing is said about it. */
    private void brokeOff(Throwable failure) {
      if (streams) {
        broken = failure;
        return;
      }
      reading.dispose();
      if (!committed.get()) {
        headers.clearContentHeaders();
      }
    }

    /**
     * By whoever writes it: clients that leave cancel what is sent to them. What becomes of it is
     * for whoever learns why.
     */
    private void giveUp() {
      givenUp = streams;
      brokeOff(new CancellationException("body: given up (expected: written to its end)"));
      reading.dispose();
    }

    /** Keeps a piece, and says what is ready to go; nothing as long as what came can be kept. */
    private byte[] keep(byte[] piece) {
      byte[] ready = NOTHING;
      large |= held.size() > limit;
      if (large) {
        ready = held.toByteArray();
        held.reset();
      }
      held.writeBytes(piece);
      return ready;
    }

    private Mono<Void> stream(Flux<DataBuffer> rest) {
      return head.flatMap(
          mine -> {
            if (!mine) {
              reading.dispose();
              return Mono.empty();
            }
            if (!sent) {
              return rest.doOnNext(DataBufferUtils::release).then();
            }
            return flush ? real.writeAndFlushWith(rest.map(Mono::just)) : real.writeWith(rest);
          });
    }

    private Mono<byte[]> lastPiece(Mono<Boolean> recorded) {
      return recorded.flatMap(
          is -> is ? Mono.just(held.toByteArray()) : Mono.error(new NotRecordedException()));
    }

    private Mono<Boolean> recordIf(boolean mine) {
      return mine ? recording.record(passing.end()) : Mono.just(true);
    }

    private Mono<Boolean> record(Flux<byte[]> pieces) {
      return pieces
          .doOnNext(passing::add)
          .then(Mono.defer(() -> large ? head.flatMap(this::recordIf) : Mono.just(true)))
          .doOnError(
              failure -> {
                if (streams && !givenUp) {
                  recording.cutShort(failure);
                }
              });
    }
  }

  // What becomes of it.

  /** Whether it is sent while it comes, and recorded at its end, or cut off. */
  boolean isStreaming() {
    return streaming;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * The handler has ended; the head is fixed, if it is not yet. Fails if the body that streams
   * broke off: somebody may have answered that, but the client has half of it.
   */
  Mono<Void> finish() {
    return Mono.defer(
        () -> {
          Throwable failure = broken;
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
          if (!lines.equals(before.get(name))) {
            lines.forEach(line -> fields.add(new Header(name, line)));
          }
        });
    return fields;
  }

  Body kept() {
    return new Body.Full(Bytes.wrap(bytes()));
  }

  private byte[] bytes() {
    HeldBody own = body;
    return own == null ? NOTHING : own.held.toByteArray();
  }

  /** Forgets an answer that was begun, so that an error can be answered. */
  void clear(int code) {
    body = null;
    headers.clear();
    before.forEach(headers::addAll);
    cookies.clear();
    status = HttpStatusCode.valueOf(code);
  }

  /** Sends what is held, if there is somebody to send it to. */
  Mono<Void> send() {
    if (!client.isSet(this::setHead)) {
      return Mono.empty();
    }
    byte[] bytes = bytes();
    return bytes.length == 0
        ? real.setComplete()
        : real.writeWith(Mono.fromSupplier(() -> real.bufferFactory().wrap(bytes)));
  }

  private void setHead() {
    real.setStatusCode(status);
    real.getHeaders().clear();
    headers.forEach(
        (name, lines) -> lines.forEach(line -> real.getHeaders().add(name, Client.sendable(line))));
    real.getCookies().clear();
    cookies.values().forEach(named -> named.forEach(real::addCookie));
  }
}
