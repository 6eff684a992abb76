package dev.once.spring.webflux;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.NotRunException;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import dev.once.core.Result;
import dev.once.http.semantics.Observer;
import dev.once.http.semantics.ProtectedRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ServerHttpResponse;
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
 *   <li>The answer is too large to keep: it was streamed, and its digest recorded before its end.
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
  private final Execution execution;
  private final Observer observer;
  private final List<WebExceptionHandler> errorHandlers;
  private final ServerHttpResponse real;
  private final HeldResponse held;
  private final KeptExchange exchange;
  private final AtomicBoolean ended = new AtomicBoolean();

  ProtectedExchange(
      ProtectedRequest request,
      Execution execution,
      byte[] body,
      Observer observer,
      List<WebExceptionHandler> errorHandlers,
      ServerCodecConfigurer codecs,
      ServerWebExchange exchange) {
    this.request = request;
    this.execution = execution;
    this.observer = observer;
    this.errorHandlers = errorHandlers;
    real = exchange.getResponse();
    held = new HeldResponse(real, request.policy().policy().maxStoredBody(), this);
    KeptRequest kept = new KeptRequest(exchange.getRequest(), body, real.bufferFactory());
    this.exchange = new KeptExchange(exchange, kept, held, codecs);
    exchange.getAttributes().put(ATTRIBUTE, execution);
  }

  /** The execution that an exchange runs under; null if it is not under a key. */
  static @org.jspecify.annotations.Nullable Execution of(ServerWebExchange exchange) {
    return exchange.getAttribute(ATTRIBUTE);
  }

  /**
   * Is not cancelled: what has begun goes on, whether the client still wants to hear of it or not.
   */
  Mono<Void> run(WebFilterChain chain) {
    Mono<Void> all =
        Mono.defer(() -> chain.filter(exchange))
            .then(Mono.defer(() -> held.isLarge() ? Mono.empty() : held.finish().then(record())))
            .onErrorResume(this::failed)
            .then(Mono.defer(exchange::cleanupMultipart));
    return Mono.deferContextual(
        context -> Mono.fromFuture(all.contextWrite(c -> c.putAll(context)).toFuture(), true));
  }

  private Mono<Void> failed(Throwable failure) {
    if (held.isLarge() || real.isCommitted()) {
      return Mono.error(failure); // the server cuts the answer off
    }
    if (isDenied(failure)) {
      return denied().then(Mono.error(failure));
    }
    Mono<Void> answered = Mono.error(failure);
    for (WebExceptionHandler handler : errorHandlers) {
      answered = answered.onErrorResume(e -> handler.handle(exchange, e));
    }
    return answered
        .onErrorResume(
            e -> {
              log.error("{} {}: failed", request.head().method(), request.key().masked(), e);
              held.clear(SERVER_ERROR);
              return Mono.empty();
            })
        .then(Mono.defer(held::finish))
        .then(Mono.defer(() -> mayRunAgain(failure) ? release() : record()));
  }

  private static boolean isDenied(Throwable failure) {
    Class<?> type = failure.getClass();
    while (type != null && !type.getName().equals(DENIED)) {
      type = type.getSuperclass();
    }
    return type != null;
  }

  /** Records what Spring Security will answer; where nobody is authenticated it asks who it is. */
  private Mono<Void> denied() {
    return exchange
        .getPrincipal()
        .hasElement()
        .flatMap(
            known -> {
              held.clear(known ? FORBIDDEN : UNAUTHORIZED);
              return known ? complete(held.kept()).then() : free();
            });
  }

  /** The handler did nothing, or met a bean method that says "not now". */
  private static boolean mayRunAgain(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof NotRunException
          || (cause instanceof RefusedException refused && refused.isNotNow())) {
        return true;
      }
    }
    return false;
  }

  // The end.

  private Mono<Void> record() {
    if (!request.isFinal(held.status())) {
      return release();
    }
    return complete(held.kept())
        .flatMap(
            result ->
                result instanceof Result.Refused refused
                    ? Replies.send(real, request.refuse(refused.refusal()))
                    : held.send());
  }

  private Mono<Void> release() {
    return free().then(Mono.defer(held::send));
  }

  private Mono<Void> free() {
    if (!ended.compareAndSet(false, true)) {
      return Mono.empty();
    }
    return reply(execution.release())
        .onErrorComplete()
        .then(Mono.fromRunnable(() -> observer.unanswered(request, true)));
  }

  private Mono<Result> complete(Body body) {
    if (!ended.compareAndSet(false, true)) {
      return Mono.just(new Result.Refused(unknown()));
    }
    Answer answer;
    try {
      answer = request.answer(held.status(), held.fields(), body);
    } catch (IllegalArgumentException e) {
      log.error("{}: not recorded", request.key().masked(), e);
      execution.abandon();
      observer.unanswered(request, false);
      return Mono.just(new Result.Refused(unknown()));
    }
    return reply(execution.complete(answer))
        .doOnNext(result -> observer.ended(request, result))
        .onErrorResume(
            failure -> {
              log.error("{}: not recorded", request.key().masked(), failure);
              observer.unanswered(request, false);
              return Mono.just(new Result.Refused(unknown()));
            });
  }

  private static <T> Mono<T> reply(CompletionStage<T> stage) {
    return Mono.fromFuture(stage.toCompletableFuture(), true);
  }

  private static Refusal unknown() {
    return new Refusal(
        Reason.OUTCOME_UNKNOWN, "The operation ran, but its answer could not be recorded.", null);
  }

  // Large answers.

  @Override
  public Mono<Boolean> record(Body digest) {
    if (!request.isFinal(held.status())) {
      return free().thenReturn(true);
    }
    return complete(digest).map(result -> !(result instanceof Result.Refused));
  }

  /** Nobody knows what of it took effect: the lease runs out, and then the crash policy decides. */
  @Override
  public void cutShort(Throwable failure) {
    if (ended.compareAndSet(false, true)) {
      log.error("{}: its answer broke off", request.key().masked(), failure);
      execution.abandon();
      observer.unanswered(request, false);
    }
  }
}
