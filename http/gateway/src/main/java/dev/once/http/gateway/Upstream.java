package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The service behind, as one event loop reaches it: pooled connections, time-outs. */
final class Upstream {

  /** How many requests may wait for each connection before more are refused. */
  private static final int WAITING_PER_CONNECTION = 16;

  /** The code by which a request is given up; only HTTP/2 shows it. */
  private static final long CANCEL = 8;

  private final HttpClient client;
  private final Patience patience;
  private final String host;
  private final int port;
  private final boolean ssl;
  private final String pathPrefix;
  private final long connectMillis;

  Upstream(Vertx vertx, GatewaySettings settings, Patience patience, int eventLoops) {
    this.patience = patience;
    URI uri = settings.upstream();
    host = withoutBrackets(uri.getHost());
    ssl = uri.getScheme().equalsIgnoreCase("https");
    port = uri.getPort() > 0 ? uri.getPort() : ssl ? 443 : 80;
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    pathPrefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    connectMillis = settings.connectTimeout().toMillis();
    int connections = Math.max(1, settings.connections() / eventLoops);
    HttpClientOptions options =
        new HttpClientOptions()
            .setConnectTimeout((int) connectMillis)
            .setKeepAliveTimeout((int) Math.max(1, settings.idleTimeout().toSeconds()))
            .setMaxHeaderSize(32 * 1024)
            .setSsl(ssl);
    Path ca = settings.upstreamCa();
    if (ssl && ca != null) {
      options.setTrustOptions(new PemTrustOptions().addCertPath(ca.toString()));
    }
    PoolOptions pool =
        new PoolOptions()
            .setHttp1MaxSize(connections)
            .setMaxWaitQueueSize(connections * WAITING_PER_CONNECTION);
    client = vertx.httpClientBuilder().with(options).with(pool).build();
  }

  /** An IPv6 address is in brackets in a URL, and nowhere else. */
  private static String withoutBrackets(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * A request that is not sent yet. If this fails, nothing was sent: the upstream cannot be
   * reached, or has no connection free in time.
   */
  Future<HttpClientRequest> request(HttpMethod method, String target) {
    return client.request(
        new RequestOptions()
            .setMethod(method)
            .setHost(host)
            .setPort(port)
            .setSsl(ssl)
            .setURI(target.equals("*") ? target : pathPrefix + target)
            .setConnectTimeout(connectMillis));
  }

  /**
   * Gives a request up if nothing moves for too long. Vert.x has a limit like this, but it counts
   * the time in which the request is still being sent, and ends with the head of the answer.
   */
  Wait watch(HttpClientRequest call) {
    return patience.start(() -> call.reset(CANCEL, new Silence()));
  }

  Patience patience() {
    return patience;
  }

  void close() {
    client.close();
  }

  /** Whether an answer is none: nobody asked for another protocol, or for news on the way. */
  static boolean isInterim(HttpClientResponse answer) {
    return answer.statusCode() < 200;
  }

  /** Such an answer as a failure; what follows it on its connection is of no use. */
  static Throwable notFinal(HttpClientResponse answer) {
    drop(answer);
    return new IllegalStateException("status: " + answer.statusCode() + " (expected: 200 to 599)");
  }

  /** Hands a request back that is not sent. */
  static void giveUp(HttpClientRequest call) {
    call.exceptionHandler(any -> {});
    call.reset();
  }

  /** Ends an answer that nobody wants, and its connection. */
  static void drop(HttpClientResponse answer) {
    answer.exceptionHandler(any -> {});
    answer.request().connection().close();
  }

  /** Whether a failure is one of time, not of connection. */
  static boolean isTimeout(@Nullable Throwable failure) {
    return failure != null && failure.getCause() instanceof Silence;
  }

  /** The upstream said nothing for too long. */
  private static final class Silence extends TimeoutException {
    private static final long serialVersionUID = 1;

    Silence() {
      super("the upstream was silent for too long");
    }

    /** Where it is made says nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
