package dev.once.http.semantics;

import dev.once.core.Bytes;
import dev.once.core.Header;
import java.util.List;
import java.util.Objects;

/** An answer to send, as it is. The length is the body's; it is not among the headers. */
public record Reply(int status, List<Header> headers, Bytes body) {

  public Reply {
    if (status < 200 || status > 999) { // services have codes of their own, and those are replayed
      throw new IllegalArgumentException("status: " + status + " (expected: 200 to 999)");
    }
    headers = List.copyOf(headers);
    Objects.requireNonNull(body, "body: null (expected: Bytes, which may be empty)");
  }
}
