package dev.once.spring.webflux;

import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.LinkedCaseInsensitiveMap;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import reactor.core.publisher.Mono;

/**
 * The client of a request that goes on without it. When it has left, its response is not touched
 * any more: Tomcat gives the object, with its live header fields, to another request. What filters
 * outside have set is read before.
 */
final class Client {

  /** All control characters but the tab, which HTTP allows inside a value. */
  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0A-\\x1F\\x7F]");

  private final ServerHttpResponse response;
  private final @Nullable HttpStatusCode status;
  private final Map<String, List<String>> fields = new LinkedCaseInsensitiveMap<>();
  private final MultiValueMap<String, ResponseCookie> cookies = new LinkedMultiValueMap<>();
  private boolean gone;

  /** To be made while the server still waits for an answer. */
  Client(ServerHttpResponse response) {
    this.response = response;
    this.status = response.getStatusCode();
    response.getHeaders().forEach((name, lines) -> fields.put(name, new ArrayList<>(lines)));
    cookies.addAll(response.getCookies());
  }

  ServerHttpResponse response() {
    return response;
  }

  // What filters outside have set.

  @Nullable HttpStatusCode status() {
    return status;
  }

  Map<String, List<String>> fields() {
    return fields;
  }

  MultiValueMap<String, ResponseCookie> cookies() {
    return cookies;
  }

  // Until it leaves.

  /** Nobody waits for an answer any longer; the server takes the response back after that. */
  synchronized void markGone() {
    gone = true;
  }

  /**
   * Sets the head of an answer, unless the client has left, or somebody outside has answered.
   *
   * @return whether it was set
   */
  synchronized boolean setIfOpen(Runnable head) {
    boolean open = !gone && !response.isCommitted();
    if (open) {
      head.run();
    }
    return open;
  }

  Mono<Void> send(Reply reply) {
    return Mono.defer(
        () -> setIfOpen(() -> setHead(response, reply)) ? sendBody(response, reply) : Mono.empty());
  }

  // What is sent.

  /**
   * A value as every server takes it: with a space for each control character, as RFC 9110 (5.5)
   * has it and Tomcat does it, and none around it. Netty refuses others, and that after the answer
   * was recorded.
   */
  static String sendable(String value) {
    return CONTROL.matcher(value).replaceAll(" ").trim();
  }

  /** Sends a whole reply to a client that nothing goes on for. */
  static Mono<Void> send(ServerHttpResponse response, Reply reply) {
    setHead(response, reply);
    return sendBody(response, reply);
  }

  private static void setHead(ServerHttpResponse response, Reply reply) {
    response.setStatusCode(HttpStatusCode.valueOf(reply.status()));
    HttpHeaders headers = response.getHeaders();
    List<String> replaced = new ArrayList<>();
    for (Header header : reply.headers()) {
      if (replaced.contains(header.name())) {
        headers.add(header.name(), sendable(header.value()));
      } else {
        headers.set(header.name(), sendable(header.value()));
        replaced.add(header.name());
      }
    }
    if (hasBody(reply)) {
      headers.setContentLength(reply.body().size());
    }
  }

  private static boolean hasBody(Reply reply) {
    return reply.status() != 204 && reply.status() != 304;
  }

  private static Mono<Void> sendBody(ServerHttpResponse response, Reply reply) {
    return !hasBody(reply) || reply.body().size() == 0
        ? response.setComplete()
        : response.writeWith(
            Mono.fromSupplier(() -> response.bufferFactory().wrap(reply.body().toArray())));
  }
}
