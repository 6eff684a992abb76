package dev.once.http.gateway.config;

/** A text is not such a value, for a reason that is worth more than what is expected. */
final class UnfitTextException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /**
   * @param complaint follows the name of the setting
   */
  UnfitTextException(String complaint) {
    super(complaint);
  }
}
