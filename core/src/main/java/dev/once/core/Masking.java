package dev.once.core;

/** How keys and hashes are shown to people: enough to recognise, too little to use. */
final class Masking {

  private static final int SHOWN = 4;
  private static final String HIDDEN = "****";

  private Masking() {}

  static String mask(String text) {
    if (text.length() < 3 * SHOWN) {
      return HIDDEN;
    }
    return printable(text.substring(0, SHOWN) + HIDDEN + text.substring(text.length() - SHOWN));
  }

  /** Without anything that could forge a line of a log, or speak to a terminal. */
  static String printable(String text) {
    return text.replaceAll("\\P{Graph}", "?");
  }
}
