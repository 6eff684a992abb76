package dev.once.http.gateway;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problem;
import dev.once.http.semantics.ProblemLog;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.Verdict;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.AttributeKey;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server for clients, on one event loop. The servers of all event loops share one port.
 */
final class ClientServer extends AbstractVerticle {

  /** Marks connections on which something was sent that means two things. */
  private static final AttributeKey<Boolean> REFUSED = AttributeKey.valueOf("once.refused");

  /** Of HTTP/2: nothing was done, and it may be sent again. */
  private static final long REFUSED_STREAM = 7;

  private static final long NO_ERROR = 0;

  /** How long clients are waited for that have not heard yet that this stops. */
  private static final Duration LONGEST_CROSSING = Duration.ofSeconds(5);

  private final GatewayState state;
  private final GatewaySettings settings;
  private final HttpServerOptions options;
  private final StrictHttp1 strict;
  private final int eventLoops;
  private final Set<HttpConnection> http2 = ConcurrentHashMap.newKeySet();

  /** Ends when clients of HTTP/2 have heard that this stops, or have left; null before. */
  private volatile @Nullable Promise<Void> heard;

  private @Nullable HttpServer server;
  private @Nullable Upstream upstream;

  ClientServer(
      GatewayState state,
      GatewaySettings settings,
      HttpServerOptions options,
      StrictHttp1 strict,
      int eventLoops) {
    this.state = state;
    this.settings = settings;
    this.options = options;
    this.strict = strict;
    this.eventLoops = eventLoops;
  }

  @Override
  public void start(Promise<Void> started) {
    IdleTimeouts timeouts = new IdleTimeouts(vertx, settings.responseTimeout());
    Upstream behind = new Upstream(vertx, settings, timeouts, eventLoops);
    upstream = behind;
    BodyBuffering held =
        BodyBuffering.create(
            vertx, state.heldBytes(), settings.clients(), settings.connections() / eventLoops);
    HttpServer front = vertx.createHttpServer(options);
    server = front;
    front
        .connectionHandler(this::connected)
        .invalidRequestHandler(this::invalid)
        .requestHandler(request -> handle(request, behind, held))
        .listen()
        .<Void>mapEmpty()
        .onComplete(started);
  }

  HttpServer server() {
    if (server == null) {
      throw new IllegalStateException("server: not started (expected: started)");
    }
    return server;
  }

  private void connected(HttpConnection connection) {
    if (heard != null) {
      connection.close(); // it stops, and only waits for those who have not heard of it
      return;
    }
    if (connection instanceof ConnectionBase known) {
      strict.onConnection(known.channel());
      strict.countStreams(known.channel());
      if (known.channel().pipeline().get(Http2ConnectionHandler.class) != null) {
        http2.add(connection);
        known.channel().closeFuture().addListener(closed -> disconnected(connection));
      }
    }
  }

  private void disconnected(HttpConnection connection) {
    http2.remove(connection);
    Promise<Void> telling = heard;
    if (telling != null && http2.isEmpty()) {
      telling.tryComplete();
    }
  }

  private void handle(HttpServerRequest request, Upstream behind, BodyBuffering held) {
    if (isRefused(request)) {
      return;
    }
    if (request.version() == HttpVersion.HTTP_2 && strict.hasTooManyStreams(request)) {
      request.response().reset(REFUSED_STREAM);
      return;
    }
    ClientFields fields = state.settings().clientFields();
    String error = Framing.findError(request, fields);
    String target = error == null ? Framing.target(request.uri()) : null;
    if (target == null) {
      refuse(request, 400, error == null ? "The request target is not a path." : error);
      return;
    }
    HopRules.LocalReply end = HopRules.localReply(request);
    if (end != null) {
      end(request, end);
      return;
    }
    ServerHead head = null;
    try {
      head = new ServerHead(request, target, fields);
      handle(request, head, behind, held);
    } catch (Throwable e) {
      OutOfMemory.exitIfCausedBy(e);
      UpstreamLog.failed(head, e);
      ConnectionAbort.abort(request);
    }
  }

  private void handle(
      HttpServerRequest request, ServerHead head, Upstream behind, BodyBuffering held) {
    GatewayState.ReloadableSettings live = state.settings();
    Cors cors = live.cors();
    if (cors.isOwnPreflight(head)) {
      cors.answerPreflight(head, request.response().headers());
      request.response().setStatusCode(204).end();
      return;
    }
    Verdict verdict = live.evaluate(head);
    if (verdict instanceof Verdict.Protect protect) {
      Context context = vertx.getOrCreateContext();
      new ProtectedExchange(state, cors, behind, protect.request(), head, request, context, held)
          .start();
      return;
    }
    String method = Cors.method(head);
    HttpPolicy policy =
        method.equals(head.method())
            ? verdict.policy()
            : live.routes().policyFor(method, head.path());
    if (verdict instanceof Verdict.Refuse refuse) {
      state.once().listener().requestRefused(refuse.origin(), refuse.refusal());
      Replies.send(request, refuse.reply(), head, policy, cors, behind.timeouts());
    } else {
      new PassThrough(behind, live.rules().problems(), cors, policy, head, request, held).start();
    }
  }

  private void end(HttpServerRequest request, HopRules.LocalReply end) {
    if (end.status() == 204 || end.status() == 405) {
      request.response().putHeader(HttpHeaders.ALLOW, HopRules.ALLOWED);
    }
    if (end.status() == 204) {
      request.response().setStatusCode(204).end();
    } else {
      refuse(request, end.status(), end.detail());
    }
  }

  /** What the decoder could not make sense of. */
  private void invalid(HttpServerRequest request) {
    if (isRefused(request)) {
      return;
    }
    Throwable cause = request.decoderResult().cause();
    // Other messages of the decoder may hold what the client sent, such as a key or a token.
    refuse(
        request,
        cause instanceof TooLongHttpLineException
            ? 414
            : cause instanceof TooLongHttpHeaderException ? 431 : 400,
        cause instanceof TooLongFrameException
            ? String.valueOf(cause.getMessage())
            : "The request is not well-formed HTTP, or has both a length and chunks.");
  }

  /**
   * Whatever follows on this connection could be part of the same trick, and is not looked at. In
   * HTTP/2 nothing can hide like that, and the next stream may be another client's.
   */
  private void refuse(HttpServerRequest request, int status, String detail) {
    boolean alone = request.version() == HttpVersion.HTTP_2;
    if (!alone && request.connection() instanceof ConnectionBase connection) {
      connection.channel().attr(REFUSED).set(true);
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    GatewayState.ReloadableSettings live = state.settings();
    Problems problems = live.rules().problems();
    Problem problem =
        problems.withoutKey(live.routes().base(), status, ProblemType.BAD_REQUEST, detail, null);
    ProblemLog.tell(problem, "from " + request.remoteAddress());
    Reply reply = problems.reply(problem);
    reply.headers().forEach(field -> request.response().headers().add(field.name(), field.value()));
    request
        .response()
        .setStatusCode(reply.status())
        .end(Replies.buffer(reply.body()))
        .onComplete(
            sent -> {
              if (!alone || !request.isEnded()) {
                UnreadBody.abort(request);
              }
            });
  }

  private static boolean isRefused(HttpServerRequest request) {
    return request.connection() instanceof ConnectionBase connection
        && connection.channel().hasAttr(REFUSED);
  }

  /**
   * No more connections; those that are busy go on for as long as the grace.
   *
   * <p>Over HTTP/2 in two steps (RFC 9113, 6.8). Clients are told to send nothing more, and what
   * they sent before they heard of it is still taken: a stream that comes after the last word ends
   * the whole connection, and all that runs on it would lose its answer.
   */
  Future<Void> shutdown() {
    Promise<Void> telling = Promise.promise();
    heard = telling;
    if (http2.isEmpty()) {
      return stopListening();
    }
    http2.forEach(connection -> connection.goAway(NO_ERROR, Integer.MAX_VALUE));
    long pause = Math.min(settings.grace().toMillis() / 10, LONGEST_CROSSING.toMillis());
    vertx.setTimer(Math.max(1, pause), any -> telling.tryComplete());
    return telling
        .future()
        .compose(
            any -> {
              http2.forEach(connection -> connection.goAway(NO_ERROR)); // the last word
              return stopListening();
            });
  }

  private Future<Void> stopListening() {
    return server().shutdown(settings.grace().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void stop() {
    if (upstream != null) {
      upstream.close();
    }
  }
}
