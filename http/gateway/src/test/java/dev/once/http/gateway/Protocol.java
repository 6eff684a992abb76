package dev.once.http.gateway;

import dev.once.core.Header;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The ways to speak HTTP to a gateway. */
enum Protocol {
  HTTP_1_1(false, HttpVersion.HTTP_1_1),
  H2C(false, HttpVersion.HTTP_2),
  TLS_HTTP_1_1(true, HttpVersion.HTTP_1_1),
  TLS_H2(true, HttpVersion.HTTP_2);

  private static final Vertx VERTX = Vertx.vertx();

  final boolean tls;
  private final HttpVersion version;

  Protocol(boolean tls, HttpVersion version) {
    this.tls = tls;
    this.version = version;
  }

  static Vertx vertx() {
    return VERTX;
  }

  /** An answer, with its headers in order. */
  record Answer(HttpVersion version, int status, List<Header> fields, String body) {

    List<String> fields(String name) {
      return fields.stream()
          .filter(field -> field.name().equalsIgnoreCase(name))
          .map(Header::value)
          .toList();
    }
  }

  HttpClientAgent client() {
    return VERTX.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(version)
            .setHttp2ClearTextUpgrade(false)
            .setSsl(tls)
            .setUseAlpn(tls && version == HttpVersion.HTTP_2)
            .setTrustAll(true)
            .setVerifyHost(false));
  }

  /** Sends a request; headers are lines such as {@code Name: value}. */
  Answer send(int port, String method, String path, String body, String... headers) {
    HttpClientAgent client = client();
    try {
      return client
          .request(
              new RequestOptions()
                  .setHost("localhost")
                  .setPort(port)
                  .setMethod(HttpMethod.valueOf(method))
                  .setURI(path))
          .compose(request -> send(request, body, headers))
          .await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new AssertionError(this + " " + method + " " + path + ": no answer", e);
    } finally {
      client.close();
    }
  }

  /** On the event loop: whoever asks for the body later than the answer comes may miss it. */
  private static Future<Answer> send(HttpClientRequest request, String body, String... headers) {
    for (String line : headers) {
      int colon = line.indexOf(':');
      request.headers().add(line.substring(0, colon), line.substring(colon + 2));
    }
    Future<HttpClientResponse> sent =
        body == null ? request.send() : request.send(Buffer.buffer(body, "ISO-8859-1"));
    return sent.compose(response -> response.body().map(bytes -> answer(response, bytes)));
  }

  private static Answer answer(HttpClientResponse response, Buffer body) {
    List<Header> fields = new ArrayList<>();
    response.headers().forEach(field -> fields.add(new Header(field.getKey(), field.getValue())));
    return new Answer(
        response.version(), response.statusCode(), fields, body.toString("ISO-8859-1"));
  }

  /** A payment with a key. */
  Answer pay(int port, String path, String key) {
    return send(
        port,
        "POST",
        path,
        "{\"amount\":1}",
        "Content-Type: application/json",
        "Idempotency-Key: " + key);
  }
}
