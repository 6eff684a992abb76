package dev.once.http.gateway;

/** An answer of the upstream that cannot be taken. Its message may be logged. */
final class BadAnswerException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  BadAnswerException(String message) {
    super(message);
  }

  /** Where it is found says nothing. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
