package dev.once.http.conformance;

import java.util.List;

/** A request and its answer. */
record Exchange(Request request, Reply reply) {

  int status() {
    return reply.status();
  }

  /** For people: what was sent, and what came back. */
  List<String> lines() {
    return List.of("sent: " + request, "got:  " + reply);
  }
}
