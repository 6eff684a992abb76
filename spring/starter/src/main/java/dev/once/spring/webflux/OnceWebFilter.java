package dev.once.spring.webflux;

import dev.once.core.Begun;
import dev.once.core.Bytes;
import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.spi.Exchange;
import dev.once.http.semantics.Caller;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.Verdict;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Once in front of WebFlux: a request with a key runs once, and every retry gets the recorded
 * answer; everything else passes through, untouched. Never blocks.
 */
public final class OnceWebFilter implements WebFilter, Ordered {

  /** Never in scope, whatever the policy: not looked at any further. */
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  /** What a filter stands on. */
  record Parts(
      Once once,
      AnnotatedHandlers policies,
      ExchangeScopes scopes,
      Problems problems,
      List<WebExceptionHandler> errorHandlers,
      ServerCodecConfigurer codecs) {}

  private static final Caller NOBODY = Caller.of(null);

  private final Rules rules;
  private final Parts parts;
  private final int order;

  OnceWebFilter(Parts parts, int order) {
    this.parts = parts;
    this.rules = new Rules("webflux", parts.problems());
    this.order = order;
  }

  /**
   * The execution that this exchange runs under: fence and attempt for the handler. Empty if the
   * request is not under a key.
   */
  public static Optional<Execution> execution(ServerWebExchange exchange) {
    return Optional.ofNullable(ProtectedExchange.of(exchange));
  }

  static boolean isSafe(ServerHttpRequest request) {
    return SAFE.contains(request.getMethod().name());
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    if (isSafe(exchange.getRequest())) {
      return chain.filter(exchange);
    }
    ExchangeHead head = new ExchangeHead(exchange.getRequest());
    return parts
        .policies()
        .match(exchange)
        .flatMap(
            match ->
                head.header(match.policy().keyHeader()) == null
                    // Nobody asks whose key it is.
                    ? withoutRunning(rules.evaluate(head, match, () -> NOBODY), exchange, chain)
                    : withKey(match, exchange, chain));
  }

  private Mono<Void> withKey(Match match, ServerWebExchange exchange, WebFilterChain chain) {
    BufferedRequest in =
        new BufferedRequest(exchange.getRequest(), exchange.getResponse().bufferFactory());
    Client client = new Client(exchange.getResponse());
    ExchangeHead head = new ExchangeHead(in);
    return parts
        .scopes()
        .of(exchange, head)
        .flatMap(
            caller -> {
              Verdict verdict = rules.evaluate(head, match, () -> caller);
              return verdict instanceof Verdict.Protect protect
                  ? protect(protect.request(), in, client, exchange, chain)
                  : withoutRunning(verdict, exchange, chain);
            });
  }

  private Mono<Void> withoutRunning(
      Verdict verdict, ServerWebExchange exchange, WebFilterChain chain) {
    if (verdict instanceof Verdict.Refuse refuse) {
      parts.once().listener().requestRefused(refuse.origin(), refuse.refusal());
      return Client.send(exchange.getResponse(), refuse.reply());
    }
    return chain.filter(exchange);
  }

  private Mono<Void> protect(
      ProtectedRequest request,
      BufferedRequest in,
      Client client,
      ServerWebExchange exchange,
      WebFilterChain chain) {
    return body(request, exchange)
        .flatMap(
            body -> {
              if (body.isEmpty()) {
                return client.send(request.tooLarge());
              }
              in.keep(body.get());
              return uncancelled(
                  client,
                  begin(request, body.get())
                      .flatMap(begun -> begun(begun, request, in, client, exchange, chain)));
            });
  }

  /**
   * From here on the client may leave, and what it asked for goes on: nobody would end what the
   * store grants to one that has left, and its key would stay taken.
   */
  private static Mono<Void> uncancelled(Client client, Mono<Void> all) {
    return Mono.create(
        sink -> {
          sink.onCancel(client::markGone); // also while what follows runs, on this thread
          all.contextWrite(own -> own.putAll(sink.contextView()))
              .toFuture()
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure == null) {
                      sink.success();
                    } else {
                      sink.error(failure);
                    }
                  });
        });
  }

  /** The whole body; empty if it is over the limit. */
  private static Mono<Optional<byte[]>> body(ProtectedRequest request, ServerWebExchange exchange) {
    int limit = request.policy().maxRequestBody();
    if (exchange.getRequest().getHeaders().getContentLength() > limit) {
      return Mono.just(Optional.empty());
    }
    return DataBufferUtils.join(exchange.getRequest().getBody(), limit)
        .map(
            buffer -> {
              byte[] bytes = new byte[buffer.readableByteCount()];
              buffer.read(bytes);
              DataBufferUtils.release(buffer);
              return Optional.of(bytes);
            })
        .onErrorReturn(DataBufferLimitException.class, Optional.empty())
        .onErrorResume(IllegalStateException.class, e -> nothingLeft(exchange, e))
        .switchIfEmpty(nothingLeft(exchange, null));
  }

  /** There was nothing, or a filter outside has read it: some servers fail a second read. */
  private static Mono<Optional<byte[]>> nothingLeft(
      ServerWebExchange exchange, @Nullable Throwable failure) {
    return Mono.deferContextual(
        context ->
            BodyDetector.had(exchange.getRequest(), context, failure)
                ? form(exchange, failure)
                : Mono.just(Optional.of(new byte[0])));
  }

  /** A filter outside has read the body: of a form, the exchange has kept what was in it. */
  private static Mono<Optional<byte[]>> form(
      ServerWebExchange exchange, @Nullable Throwable failure) {
    MediaType type = exchange.getRequest().getHeaders().getContentType();
    if (!MediaType.APPLICATION_FORM_URLENCODED.equalsTypeAndSubtype(type)) {
      return Mono.error(
          new IllegalStateException(
              "body: read by a filter outside (expected: unread, or a form)", failure));
    }
    Charset charset =
        type == null || type.getCharset() == null ? StandardCharsets.UTF_8 : type.getCharset();
    return exchange
        .getFormData()
        .map(
            fields -> {
              StringJoiner text = new StringJoiner("&");
              fields.forEach(
                  (name, values) ->
                      values.forEach(
                          value ->
                              text.add(
                                  URLEncoder.encode(name, charset)
                                      + (value == null
                                          ? ""
                                          : "=" + URLEncoder.encode(value, charset)))));
              return Optional.of(text.toString().getBytes(charset));
            });
  }

  /**
   * A reply that is there at once is taken on this thread. One that comes later may come on a
   * thread of the store, where no handler may run.
   */
  private Mono<Begun> begin(ProtectedRequest request, byte[] body) {
    Operation operation = request.operation(Bytes.wrap(body.clone()));
    return Mono.defer(
            () -> {
              CompletableFuture<Begun> begun = parts.once().begin(operation).toCompletableFuture();
              Mono<Begun> reply = Mono.fromFuture(begun, true);
              return begun.isDone() ? reply : reply.publishOn(Schedulers.parallel());
            })
        .onErrorResume(
            failure -> Mono.just(Exchange.notBegun(parts.once().listener(), operation, failure)));
  }

  private Mono<Void> begun(
      Begun begun,
      ProtectedRequest request,
      BufferedRequest in,
      Client client,
      ServerWebExchange exchange,
      WebFilterChain chain) {
    if (begun instanceof Begun.Proceed proceed) {
      return new ProtectedExchange(
              request,
              proceed.execution(),
              in,
              client,
              parts.errorHandlers(),
              parts.codecs(),
              exchange)
          .run(chain);
    }
    Reply reply =
        begun instanceof Begun.Replay replay
            ? request.replay(replay.answer())
            : request.refuse(((Begun.Refuse) begun).refusal());
    return client.send(reply);
  }
}
