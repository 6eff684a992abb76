package dev.once.http.gateway;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.Verdict;
import io.netty.handler.codec.TooLongFrameException;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What clients talk to, on one event loop. All of them share one port. */
final class FrontServer extends AbstractVerticle {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  /** Marks connections on which something was sent that means two things. */
  private static final AttributeKey<Boolean> REFUSED = AttributeKey.valueOf("once.refused");

  private final Shared shared;
  private final GatewaySettings settings;
  private final HttpServerOptions options;
  private final StrictHttp1 strict;
  private final int eventLoops;
  private @Nullable HttpServer server;
  private @Nullable Upstream upstream;

  FrontServer(
      Shared shared,
      GatewaySettings settings,
      HttpServerOptions options,
      StrictHttp1 strict,
      int eventLoops) {
    this.shared = shared;
    this.settings = settings;
    this.options = options;
    this.strict = strict;
    this.eventLoops = eventLoops;
  }

  @Override
  public void start(Promise<Void> started) {
    Patience patience = new Patience(vertx, settings.responseTimeout());
    Upstream behind = new Upstream(vertx, settings, patience, eventLoops);
    upstream = behind;
    HttpServer front = vertx.createHttpServer(options);
    server = front;
    front
        .connectionHandler(this::connected)
        .invalidRequestHandler(this::invalid)
        .requestHandler(request -> handle(request, behind))
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
    if (connection instanceof ConnectionBase known) {
      strict.onConnection(known.channel());
    }
  }

  private void handle(HttpServerRequest request, Upstream behind) {
    if (isRefused(request)) {
      return;
    }
    String complaint = Framing.complaint(request);
    String target = complaint == null ? Framing.target(request.uri()) : null;
    if (target == null) {
      refuse(request, complaint == null ? "The request target is not a path." : complaint);
      return;
    }
    try {
      handle(request, new ServerHead(request, target), behind);
    } catch (RuntimeException e) {
      log.error("a request could not be handled", e);
      Cut.off(request);
    }
  }

  private void handle(HttpServerRequest request, ServerHead head, Upstream behind) {
    Shared.Live live = shared.live();
    Cors cors = live.cors();
    if (cors.isOwnPreflight(head)) {
      cors.answerPreflight(head, request.response().headers());
      request.response().setStatusCode(204).end();
      return;
    }
    Rules rules = live.rules();
    Verdict verdict = rules.look(head);
    if (verdict instanceof Verdict.Protect protect) {
      Context context = vertx.getOrCreateContext();
      new ProtectedExchange(shared, cors, behind, protect.request(), head, request, context)
          .start();
      return;
    }
    HttpPolicy policy = live.routes().policyFor(Cors.method(head), head.path());
    if (verdict instanceof Verdict.Refuse refuse) {
      shared.observer().turnedAway(head, refuse.refusal());
      Replies.send(request, refuse.reply(), head, policy, cors, behind.patience());
    } else {
      new PassThrough(behind, rules.problems(), cors, policy, head, request).start();
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
        cause instanceof TooLongFrameException
            ? String.valueOf(cause.getMessage())
            : "The request is not well-formed HTTP, or has both a length and chunks.");
  }

  /** Whatever follows on this connection could be part of the same trick, and is not looked at. */
  private void refuse(HttpServerRequest request, String detail) {
    if (request.connection() instanceof ConnectionBase connection) {
      connection.channel().attr(REFUSED).set(true);
    }
    Problems problems = shared.live().rules().problems();
    Reply reply = problems.problem(null, 400, ProblemType.BAD_REQUEST, detail, null);
    if (request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    reply.headers().forEach(field -> request.response().headers().add(field.name(), field.value()));
    request
        .response()
        .setStatusCode(reply.status())
        .end(Replies.buffer(reply.body()))
        .onComplete(sent -> request.connection().close());
  }

  private static boolean isRefused(HttpServerRequest request) {
    return request.connection() instanceof ConnectionBase connection
        && connection.channel().hasAttr(REFUSED);
  }

  /** No more connections; those that are busy go on for as long as the grace. */
  Future<Void> shutdown() {
    return server().shutdown(settings.grace().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void stop() {
    if (upstream != null) {
      upstream.close();
    }
  }
}
