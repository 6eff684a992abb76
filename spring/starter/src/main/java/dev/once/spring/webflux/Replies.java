package dev.once.spring.webflux;

import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** Sends whole replies, and what they have in common with answers. */
final class Replies {

  /** All control characters but the tab, which HTTP allows inside a value. */
  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0A-\\x1F\\x7F]");

  private Replies() {}

  /**
   * A value as every server takes it: with a space for each control character, as RFC 9110 (5.5)
   * has it and Tomcat does it, and none around it. Netty refuses others, and that after the answer
   * was recorded.
   */
  static String sendable(String value) {
    return CONTROL.matcher(value).replaceAll(" ").trim();
  }

  static Mono<Void> send(ServerHttpResponse response, Reply reply) {
    setHead(response, reply);
    return sendBody(response, reply);
  }

  static void setHead(ServerHttpResponse response, Reply reply) {
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

  static Mono<Void> sendBody(ServerHttpResponse response, Reply reply) {
    return !hasBody(reply) || reply.body().size() == 0
        ? response.setComplete()
        : response.writeWith(
            Mono.fromSupplier(() -> response.bufferFactory().wrap(reply.body().toArray())));
  }
}
