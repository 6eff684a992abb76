package dev.once.core.store;

/**
 * One thing that was looked at to say whether a store is fit to hold keys.
 *
 * @param subject what was looked at, in a word or two: {@code version}, {@code eviction}
 * @param detail what was found; unless it is good, also what it means and what to do
 */
public record Finding(Level level, String subject, String detail) {

  /** How good it is. */
  public enum Level {
    /** As it should be. */
    GOOD,
    /** It works, and the person who runs it should know. */
    WARNING,
    /** Keys would be lost, or nothing would work. */
    UNFIT
  }

  public static Finding good(String subject, String detail) {
    return new Finding(Level.GOOD, subject, detail);
  }

  public static Finding warning(String subject, String detail) {
    return new Finding(Level.WARNING, subject, detail);
  }

  public static Finding unfit(String subject, String detail) {
    return new Finding(Level.UNFIT, subject, detail);
  }
}
