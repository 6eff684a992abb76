package dev.once.http.conformance;

import java.util.ArrayList;
import java.util.List;

/** An answer of the reference server. */
record Outgoing(int status, List<Header> headers, String body) {

  static Outgoing of(int status, String type, String body) {
    return new Outgoing(status, List.of(new Header("Content-Type", type)), body);
  }

  Outgoing with(String name, String value) {
    List<Header> all = new ArrayList<>(headers);
    all.add(new Header(name, value));
    return new Outgoing(status, all, body);
  }

  Outgoing without(String name) {
    return new Outgoing(status, headers.stream().filter(h -> !h.named(name)).toList(), body);
  }

  Outgoing withStatus(int other) {
    return new Outgoing(other, headers, body);
  }
}
