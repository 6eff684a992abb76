package dev.once.spring.webflux;

import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** Sends whole replies. */
final class Replies {

  private Replies() {}

  static Mono<Void> send(ServerHttpResponse response, Reply reply) {
    response.setStatusCode(HttpStatusCode.valueOf(reply.status()));
    HttpHeaders headers = response.getHeaders();
    List<String> replaced = new ArrayList<>();
    for (Header header : reply.headers()) {
      if (replaced.contains(header.name())) {
        headers.add(header.name(), header.value());
      } else {
        headers.set(header.name(), header.value());
        replaced.add(header.name());
      }
    }
    if (reply.status() == 204 || reply.status() == 304) {
      return response.setComplete();
    }
    headers.setContentLength(reply.body().size());
    return reply.body().size() == 0
        ? response.setComplete()
        : response.writeWith(
            Mono.fromSupplier(() -> response.bufferFactory().wrap(reply.body().toArray())));
  }
}
