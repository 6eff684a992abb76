package dev.once.http.conformance.wire;

import java.util.List;

/** A request and its answer. */
public record Exchange(Request request, Reply reply) {

  public int status() {
    return reply.status();
  }

  /** For people: what was sent, and what came back. */
  public List<String> lines() {
    return List.of("sent: " + request, "got:  " + reply);
  }
}
