package dev.once.http.conformance.wire;

import java.util.List;

/** A request that got no answer: refused, cut off, or too late. */
public final class NoAnswerException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Request request;
  private final String why;

  NoAnswerException(Request request, String why, Throwable cause) {
    super(request + ": " + why, cause);
    this.request = request;
    this.why = why;
  }

  public String why() {
    return why;
  }

  /** For people: what was sent, and that nothing came back. */
  public List<String> lines() {
    return List.of("sent: " + request, "got:  " + why);
  }
}
