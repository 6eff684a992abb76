package dev.once.spring.webflux;

import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.RefusedException;
import dev.once.core.Thrown;
import dev.once.core.spi.Delivery;
import dev.once.core.spi.Exchange;
import dev.once.http.semantics.ProtectedRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * One request that runs under its key, until its answer is sent:
 *
 * <ol>
 *   <li>Run the rest of the chain with the body that was kept and a response that is held back.
 *       From here on the client may leave: the handler goes on.
 *   <li>It failed: the answer is what the application's exception handlers make of that. Denied
 *       access is left to Spring Security, outside: its status is recorded.
 *   <li>Record the answer, and only then send it. If it cannot be recorded, send the refusal.
 *   <li>The answer streamed, for it is too large to keep: its digest was recorded before its end.
 * </ol>
 */
final class ProtectedExchange implements HeldResponse.Recording {

  private static final Logger log = LoggerFactory.getLogger(OnceWebFilter.class);
  private static final String ATTRIBUTE = Execution.class.getName();
  private static final String DENIED = "org.springframework.security.access.AccessDeniedException";
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int SERVER_ERROR = 500;

  private final ProtectedRequest request;

  /** Decides what is recorded and what the client gets, and that the operation ends only once. */
  private final Exchange running;

  private final List<WebExceptionHandler> errorHandlers;
  private final Client client;
  private final HeldResponse held;
  private final BufferedExchange exchange;

  /** What the handler threw; null if nothing. What is answered after that is an error answer. */
  private volatile @Nullable Throwable thrown;

  ProtectedExchange(
      ProtectedRequest request,
      Execution execution,
      BufferedRequest in,
      Client client,
      List<WebExceptionHandler> errorHandlers,
      ServerCodecConfigurer codecs,
      ServerWebExchange exchange) {
    this.request = request;
    this.running = new Exchange(execution, this::isPartlySent);
    this.errorHandlers = errorHandlers;
    this.client = client;
    held = new HeldResponse(client, request.policy().policy().maxStoredBody(), this);
    this.exchange = new BufferedExchange(exchange, in, held, codecs);
    exchange.getAttributes().put(ATTRIBUTE, execution);
  }

  /** The execution that an exchange runs under; null if it is not under a key. */
  static @Nullable Execution of(ServerWebExchange exchange) {
    return exchange.getAttribute(ATTRIBUTE);
  }

  /**
   * Is not cancelled: what has begun goes on, whether the client still wants to hear of it or not.
   */
  Mono<Void> run(WebFilterChain chain) {
    Mono<Void> all =
        Mono.defer(() -> chain.filter(exchange))
            .then(Mono.defer(this::answered))
            .onErrorResume(this::handlerFailed)
            .doOnError(this::errorNotAnswered)
            .flatMap(this::deliver)
            .then(Mono.defer(exchange::cleanupMultipart));
    return Mono.deferContextual(
        context -> Mono.fromFuture(subscribed(all.contextWrite(c -> c.putAll(context))), true));
  }

  /** Reactor throws what it calls fatal, instead of passing it on: nobody would end this then. */
  private CompletableFuture<Void> subscribed(Mono<Void> all) {
    try {
      return all.toFuture();
    } catch (Throwable e) {
      Delivery delivery = running.outcomeUnknown(e);
      if (delivery instanceof Delivery.AlreadyEnded) {
        throw e;
      }
      log.error("{}: failed", request.describe(), e);
      return deliver(delivery).toFuture();
    }
  }

  /** Not even an error could be answered. */
  private void errorNotAnswered(Throwable failure) {
    if (!held.isStreaming()) {
      running.outcomeUnknown(failure);
    }
  }

  /** What streams cannot be taken back. */
  private boolean isPartlySent() {
    return held.isStreaming() || client.response().isCommitted();
  }

  private Mono<Delivery> handlerFailed(Throwable failure) {
    if (held.isStreaming()) {
      if (held.isCancelledByWriter()) {
        bodyFailed(failure);
      }
      return Mono.error(failure); // the server cuts the answer off; the end of its body is the end
    }
    if (running.isUnknown(failure)) {
      log.error("{}: failed", request.describe(), failure);
      return Mono.just(running.outcomeUnknown(failure));
    }
    if (isDenied(failure)) {
      return denied()
          .flatMap(
              delivery ->
                  delivery instanceof Delivery.Send ? Mono.error(failure) : Mono.just(delivery));
    }
    thrown = failure;
    Mono<Void> answered = Mono.error(failure);
    for (WebExceptionHandler handler : errorHandlers) {
      answered = answered.onErrorResume(e -> handler.handle(exchange, e));
    }
    return answered
        .onErrorResume(
            e -> {
              log.error("{}: failed", request.describe(), e);
              if (held.isStreaming()) {
                return Mono.error(e); // a part of an error page was sent
              }
              held.clear(SERVER_ERROR);
              return Mono.empty();
            })
        .then(held.finish())
        .then(Mono.defer(() -> reply(ended(held.bodyToRecord()))));
  }

  private static boolean isDenied(Throwable failure) {
    Class<?> type = failure.getClass();
    while (type != null && !type.getName().equals(DENIED)) {
      type = type.getSuperclass();
    }
    return type != null;
  }

  /** Records what Spring Security will answer; where nobody is authenticated it asks who it is. */
  private Mono<Delivery> denied() {
    return exchange
        .getPrincipal()
        .hasElement()
        .flatMap(
            known -> {
              held.clear(known ? FORBIDDEN : UNAUTHORIZED);
              return reply(ended(held.bodyToRecord()));
            });
  }

  /** The handler met a bean method that says "not now". */
  private static boolean saysNotNow(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof RefusedException refused && refused.isNotNow()) {
        return true;
      }
    }
    return false;
  }

  // The end.

  /**
   * The answer is there: the handler's, or the one to what it threw.
   *
   * @param body what can be kept of it
   */
  private CompletionStage<Delivery> ended(Body body) {
    Throwable failure = thrown;
    if (failure != null && Thrown.of(failure) == Thrown.NOTHING_DONE) {
      return running.notRun();
    }
    return running.answered(
        () ->
            failure != null && saysNotNow(failure)
                ? Optional.empty()
                : request.answer(held.status(), held.fields(), body));
  }

  private Mono<Delivery> answered() {
    return held.finish()
        .then(
            Mono.defer(
                () ->
                    held.isStreaming()
                        ? Mono.just(Delivery.ALREADY_ENDED)
                        : reply(ended(held.bodyToRecord()))));
  }

  private Mono<Void> deliver(Delivery delivery) {
    if (delivery instanceof Delivery.Send) {
      return held.send();
    }
    if (delivery instanceof Delivery.Instead instead) {
      return client.send(request.refuse(instead.refusal()));
    }
    return delivery instanceof Delivery.AlreadyEnded
        ? Mono.empty()
        : Mono.error(new HeldResponse.NotRecordedException());
  }

  private static <T> Mono<T> reply(CompletionStage<T> stage) {
    return Mono.fromFuture(stage.toCompletableFuture(), true);
  }

  // Large answers.

  @Override
  public Mono<Boolean> record(Body digest) {
    return reply(ended(digest)).map(delivery -> delivery instanceof Delivery.Send);
  }

  /** The client has a part of an answer, and its connection is aborted. A failure is recorded. */
  @Override
  public void bodyFailed(Throwable failure) {
    log.error("{}: the body of its answer was not written to its end", request.describe(), failure);
    Throwable first = thrown;
    running.failed(
        first == null ? failure : first, () -> request.answer(SERVER_ERROR, List.of(), Body.EMPTY));
  }
}
