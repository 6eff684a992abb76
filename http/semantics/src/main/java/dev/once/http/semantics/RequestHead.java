package dev.once.http.semantics;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the rules read of a request before its body. An adapter shows its own request as one. */
public interface RequestHead {

  /** In upper case, as HTTP has it. */
  String method();

  /** As it was sent, still encoded; starts with a slash. */
  String path();

  /** As it was sent, without the question mark; null if there is none. */
  @Nullable String query();

  /** The lines of a header, in order; empty if it is not there. Names are in any case. */
  List<String> headers(String name);

  /** Whether a body follows, even if nobody knows how long it is. */
  boolean hasBody();

  /** The client's address, for logs; null if unknown. */
  @Nullable String client();

  /** The host that is asked, with or without a port; null if there is none. */
  default @Nullable String host() {
    return header("Host");
  }

  /** The first line of a header; null if it is not there. */
  default @Nullable String header(String name) {
    List<String> lines = headers(name);
    return lines.isEmpty() ? null : lines.get(0);
  }
}
