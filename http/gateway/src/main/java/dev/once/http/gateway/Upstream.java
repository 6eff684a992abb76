package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The service behind, as one event loop reaches it: pooled connections, time-outs. */
final class Upstream {

  /** How many requests may wait for each connection before more are refused... */
  private static final int WAITING_PER_CONNECTION = 16;

  /** The code by which a request is given up; only HTTP/2 shows it. */
  private static final long CANCEL = 8;

  private static final int SCRATCH = 4096;

  private final Vertx vertx;
  private final HttpClient client;
  private final IdleTimeouts timeouts;
  private final String host;
  private final int port;
  private final boolean ssl;
  private final String pathPrefix;
  private final long connectMillis;
  private final int connections;

  Upstream(Vertx vertx, GatewaySettings settings, IdleTimeouts timeouts, int eventLoops) {
    this.vertx = vertx;
    this.timeouts = timeouts;
    URI uri = settings.upstream();
    host = withoutBrackets(uri.getHost());
    ssl = uri.getScheme().equalsIgnoreCase("https");
    port = uri.getPort() > 0 ? uri.getPort() : ssl ? 443 : 80;
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    pathPrefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    connectMillis = settings.connectTimeout().toMillis();
    connections = Math.max(1, settings.connections() / eventLoops);
    HttpClientOptions options =
        new HttpClientOptions()
            .setConnectTimeout((int) connectMillis)
            .setKeepAliveTimeout((int) Math.max(1, settings.idleTimeout().toSeconds()))
            .setSsl(ssl);
    Path ca = settings.upstreamCa();
    if (ssl && ca != null) {
      options.setTrustOptions(new PemTrustOptions().addCertPath(ca.toString()));
    }
    // ... but no more than there may be clients: those that leave while they wait leave a head.
    int clients = Math.max(1, settings.clients().connections() / eventLoops);
    PoolOptions pool =
        new PoolOptions()
            .setHttp1MaxSize(connections)
            .setMaxWaitQueueSize(Math.min(connections * WAITING_PER_CONNECTION, clients));
    AnswerFields.Factory fields = new AnswerFields.Factory();
    UnsolicitedBytes unsolicited = new UnsolicitedBytes();
    ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH);
    client =
        vertx
            .httpClientBuilder()
            .with(options)
            .with(pool)
            .withConnectHandler(made -> UpstreamCodec.install(made, fields, unsolicited, scratch))
            .build();
  }

  /** An IPv6 address is in brackets in a URL, and nowhere else. */
  private static String withoutBrackets(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * A request that is not sent yet. If this fails, nothing was sent: the upstream cannot be
   * reached, or has no connection free in time.
   *
   * @param keyed then it must not be sent where nobody may read it: its key would stay taken
   */
  Future<HttpClientRequest> request(HttpMethod method, String target, boolean keyed) {
    return request(
        new RequestOptions()
            .setMethod(method)
            .setHost(host)
            .setPort(port)
            .setSsl(ssl)
            .setURI(target.equals("*") ? target : pathPrefix + target)
            .setConnectTimeout(connectMillis),
        keyed,
        connections);
  }

  /** Connections on which something has come, or which the upstream has closed, are not taken. */
  private Future<HttpClientRequest> request(RequestOptions options, boolean keyed, int retries) {
    Future<HttpClientRequest> made = client.request(options);
    return made.succeeded() // as it is with a pooled connection
        ? checked(made.result(), options, keyed, retries)
        : made.compose(call -> checked(call, options, keyed, retries));
  }

  private Future<HttpClientRequest> checked(
      HttpClientRequest call, RequestOptions options, boolean keyed, int retries) {
    UpstreamCodec codec = UpstreamCodec.of(call.connection());
    if (codec == null) {
      return Future.succeededFuture(call);
    }
    if (!codec.isReading()) {
      return ifUsable(call, codec, options, keyed, retries);
    }
    return nextTurn().compose(any -> ifUsable(call, codec, options, keyed, retries));
  }

  /** When the event loop has done what it has to do by now. */
  private Future<Void> nextTurn() {
    Promise<Void> turn = Promise.promise();
    vertx.runOnContext(any -> turn.complete());
    return turn.future();
  }

  private Future<HttpClientRequest> ifUsable(
      HttpClientRequest call,
      UpstreamCodec codec,
      RequestOptions options,
      boolean keyed,
      int retries) {
    if (codec.isUsable(keyed)) {
      return Future.succeededFuture(call);
    }
    ConnectionAbort.abort(call.connection());
    cancel(call);
    return retries > 0 // at once the pool would give the same again: it learns of the end later
        ? nextTurn().compose(any -> request(options, keyed, retries - 1))
        : Future.failedFuture(new BadAnswerException("the upstream speaks before it is asked"));
  }

  /**
   * Gives a request up if nothing moves for too long. Vert.x has a limit like this, but it counts
   * the time in which the request is still being sent, and ends with the head of the answer.
   */
  Timeout startTimeout(HttpClientRequest call) {
    return timeouts.start(
        () -> {
          call.reset(CANCEL, new ResponseTimeoutException());
          ConnectionAbort.abort(call.connection());
        });
  }

  IdleTimeouts timeouts() {
    return timeouts;
  }

  void close() {
    client.close();
  }

  /** Hands a request back that is not sent. */
  static void cancel(HttpClientRequest call) {
    call.exceptionHandler(any -> {});
    call.reset();
  }

  /** Ends an answer that nobody wants, and its connection. */
  static void discard(HttpClientResponse answer) {
    answer.exceptionHandler(any -> {});
    // Or its end, if that has come already, hands the connection on to the next request.
    answer.headers().set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    ConnectionAbort.abort(answer.request().connection());
  }

  /** Whether a request was not sent because too many wait to be. */
  static boolean isTooBusy(@Nullable Throwable failure) {
    return failure instanceof ConnectionPoolTooBusyException;
  }

  /** Whether a failure is one of time, not of connection. */
  static boolean isTimeout(@Nullable Throwable failure) {
    return failure != null && failure.getCause() instanceof ResponseTimeoutException;
  }

  /** The upstream said nothing for too long. */
  private static final class ResponseTimeoutException extends TimeoutException {
    private static final long serialVersionUID = 1;

    ResponseTimeoutException() {
      super("the upstream was silent for too long");
    }

    /** Where it is made says nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
