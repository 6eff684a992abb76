package dev.once.http.gateway;

import dev.once.http.semantics.FieldRules;
import dev.once.http.semantics.RequestHead;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A request of Vert.x, as the rules see it. */
final class ServerHead implements RequestHead {

  private static final Map<String, CharSequence> KNOWN =
      Stream.concat(
              FieldRules.METHOD_FIELDS.stream(),
              Stream.of(
                  "Accept-Encoding",
                  "Authorization",
                  "Content-Encoding",
                  "Content-Type",
                  "Cookie",
                  "Host",
                  "Idempotency-Key",
                  "Origin",
                  "User-Agent",
                  "X-Forwarded-Host",
                  "X-Idempotency-Key"))
          .collect(Collectors.toUnmodifiableMap(Function.identity(), AsciiString::cached));

  private final HttpServerRequest request;
  private final String target;
  private final int queryStart;
  private final boolean hasBody;

  /** The address is looked up when it is asked for, and by then the connection may be gone. */
  private final @Nullable SocketAddress remote;

  private final ClientFields clientFields;
  private final boolean fromProxy;

  /** What the service will not see, no rule is to see. */
  private final Set<String> connectionFields;

  private boolean awaitsContinue;

  /** Once it was asked for. */
  private @Nullable String client;

  ServerHead(HttpServerRequest request, String target, ClientFields clientFields) {
    this.request = request;
    this.target = target;
    this.clientFields = clientFields;
    this.queryStart = target.indexOf('?');
    this.remote = request.remoteAddress();
    this.hasBody = hasBody(request);
    this.connectionFields = ConnectionField.names(request.headers());
    this.awaitsContinue = hasBody && expectsContinue(request);
    this.fromProxy = clientFields.isTrustedProxy(this);
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.headers().get(HttpHeaders.CONTENT_LENGTH);
    if (length != null) {
      return !length.equals("0");
    }
    return request.version() == HttpVersion.HTTP_2
        ? isOpen(request)
        : request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /**
   * HTTP/2 says in another place than the headers that nothing follows, and Vert.x says it late.
   */
  private static boolean isOpen(HttpServerRequest request) {
    if (request.connection() instanceof ConnectionBase connection) {
      Http2ConnectionHandler http2 =
          connection.channel().pipeline().get(Http2ConnectionHandler.class);
      Http2Stream stream = http2 == null ? null : http2.connection().stream(request.streamId());
      return stream == null || stream.state().remoteSideOpen();
    }
    return true;
  }

  private static boolean expectsContinue(HttpServerRequest request) {
    return request.version() != HttpVersion.HTTP_1_0
        && "100-continue".equalsIgnoreCase(request.headers().get(HttpHeaders.EXPECT));
  }

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String path() {
    return queryStart < 0 ? target : target.substring(0, queryStart);
  }

  @Override
  public @Nullable String query() {
    return queryStart < 0 ? null : target.substring(queryStart + 1);
  }

  /** Path and query, as they are sent on. */
  String target() {
    return target;
  }

  @Override
  public List<String> headers(String name) {
    return isHidden(name) ? List.of() : request.headers().getAll(hashed(name));
  }

  @Override
  public @Nullable String header(String name) {
    return isHidden(name) ? null : request.headers().get(hashed(name));
  }

  /** Fields are found by a hash of their own, which is not made anew for those asked most. */
  private static CharSequence hashed(String name) {
    CharSequence known = KNOWN.get(name);
    return known == null ? name : known;
  }

  private boolean isHidden(String name) {
    return !connectionFields.isEmpty() && isConnectionField(name.toLowerCase(Locale.ROOT));
  }

  /** Whether {@code Connection} names a field: then it is about this connection, and stays here. */
  boolean isConnectionField(String lowerName) {
    return connectionFields.contains(lowerName);
  }

  @Override
  public boolean hasBody() {
    return hasBody;
  }

  @Override
  public @Nullable String client() {
    if (client == null) {
      client = address();
    }
    return client;
  }

  private @Nullable String address() {
    String address = remote == null ? null : remote.hostAddress();
    if (address == null) {
      return null;
    }
    int zone = address.indexOf('%'); // of IPv6, and of this machine only
    return zone < 0 ? address : address.substring(0, zone);
  }

  /** The host that the client asked: of a proxy, the one that it was asked for. */
  @Override
  public @Nullable String host() {
    String forwarded = fromProxy ? header("X-Forwarded-Host") : null;
    if (forwarded != null) {
      return forwarded;
    }
    boolean elsewhere = request.version() == HttpVersion.HTTP_2 && request.authority() != null;
    return elsewhere ? request.authority().toString() : header("Host");
  }

  /** Which of the client's fields the service may see. */
  ClientFields clientFields() {
    return clientFields;
  }

  /** Whether the client is a proxy that may speak for others. */
  boolean isFromProxy() {
    return fromProxy;
  }

  /** Whether the client holds its body back until it is told to go on. */
  boolean awaitsContinue() {
    return awaitsContinue;
  }

  /** Tells it. */
  void sayContinue() {
    if (awaitsContinue && !request.response().headWritten()) {
      awaitsContinue = false;
      request.response().writeContinue();
    }
  }
}
