package dev.once.http.gateway.config;

/** A text is not a valid value, and the reason says more than what is expected would. */
final class InvalidValueException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /**
   * @param error follows the name of the setting
   */
  InvalidValueException(String error) {
    super(error);
  }
}
