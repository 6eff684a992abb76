package dev.once.cli;

/** How slf4j-simple logs. To be said before the first logger is made: it is read once. */
final class Logging {

  private static final String PREFIX = "org.slf4j.simpleLogger.";

  private Logging() {}

  static void atLevel(String level) {
    set("defaultLogLevel", level);
    set("showDateTime", "true");
    set("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
    set("showThreadName", "false");
    set("showShortLogName", "true");
  }

  /** What was said with -D is stronger. */
  private static void set(String name, String value) {
    if (System.getProperty(PREFIX + name) == null) {
      System.setProperty(PREFIX + name, value);
    }
  }
}
