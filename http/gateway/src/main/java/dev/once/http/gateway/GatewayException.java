package dev.once.http.gateway;

import org.jspecify.annotations.Nullable;

/** A gateway could not start. The message is one line for people: what is wrong, what to do. */
public final class GatewayException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public GatewayException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
