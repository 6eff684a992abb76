package dev.once.spring.webflux;

import dev.once.http.semantics.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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

  /** Says so when the server does not wait any longer; it takes the response back after that. */
  Mono<Void> watched(Mono<Void> all) {
    return all.doOnCancel(this::left);
  }

  private synchronized void left() {
    gone = true;
  }

  /**
   * Sets the head of an answer, unless the client has left, or somebody outside has answered.
   *
   * @return whether it was set
   */
  synchronized boolean isSet(Runnable head) {
    boolean open = !gone && !response.isCommitted();
    if (open) {
      head.run();
    }
    return open;
  }

  Mono<Void> send(Reply reply) {
    return Mono.defer(
        () ->
            isSet(() -> Replies.setHead(response, reply))
                ? Replies.sendBody(response, reply)
                : Mono.empty());
  }
}
