package dev.once.spring;

import org.jspecify.annotations.Nullable;

/**
 * The application is configured so that Once cannot work, or would not do what was meant. Thrown
 * while the application starts; Boot prints what is wrong and what to do about it.
 */
public final class OnceConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  /**
   * @param wrong what is wrong, with the value and what is expected
   * @param action what to do about it
   */
  public OnceConfigurationException(String wrong, String action, @Nullable Throwable cause) {
    super(wrong, cause);
    this.action = action;
  }

  public OnceConfigurationException(String wrong, String action) {
    this(wrong, action, null);
  }

  /**
   * A property whose value is wrong.
   *
   * @param origin a sentence that says where the value is set; may be empty
   */
  public static OnceConfigurationException badValue(
      String prefix, IllegalArgumentException cause, String origin) {
    return new OnceConfigurationException(
        prefix + cause.getMessage(),
        "Change the value to one of those that are expected." + origin,
        cause);
  }

  /** What to do about it. */
  public String action() {
    return action;
  }
}
