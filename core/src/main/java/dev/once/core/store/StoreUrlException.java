package dev.once.core.store;

/**
 * The URL of a store is wrong. The message is one line for people, made to follow the name of a
 * setting. It has no password in it.
 */
public final class StoreUrlException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /**
   * @param message without a password
   */
  public StoreUrlException(String message) {
    super(message.replaceAll("\\s+", " "));
  }

  /** {@code 'URL' (expected: …)}, in which the URL has no password. */
  public static StoreUrlException of(String url, String expected) {
    return new StoreUrlException("'" + Stores.masked(url) + "' (expected: " + expected + ")");
  }
}
