package dev.once.http.semantics;

import dev.once.core.Bytes;
import dev.once.core.Header;
import java.util.List;

/** An answer to send, as it is. The length is the body's; it is not among the headers. */
public record Reply(int status, List<Header> headers, Bytes body) {

  public Reply {
    headers = List.copyOf(headers);
  }
}
