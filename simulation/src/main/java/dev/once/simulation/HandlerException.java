package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Body;

/** What a simulated handler throws: it says which run threw it. */
final class HandlerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;

  HandlerException(int code) {
    super("run " + code, null, false, false);
    this.code = code;
  }

  Answer answer() {
    return Answer.failure(code, Body.of("failed " + code));
  }
}
