package dev.once.core;

/**
 * How keys and hashes are shown to people: enough to recognise, too little to use.
 *
 * <p>An operation is shown as its masked key and the beginning of its digest, {@code
 * 550e****0000#1f3a9c}: a short key shows nothing of itself, and lines about it can still be found
 * together.
 */
final class Masking {

  private static final int SHOWN = 4;
  private static final String HIDDEN = "****";

  /** Enough to tell the operations of an hour apart; too little to confirm a guessed key by. */
  private static final int TAG_DIGITS = 6;

  private Masking() {}

  static String mask(String text) {
    if (text.length() < 3 * SHOWN) {
      return HIDDEN;
    }
    return printable(text.substring(0, SHOWN) + HIDDEN + text.substring(text.length() - SHOWN));
  }

  /** The masked key, and a tag that is the same wherever this operation is shown. */
  static String mask(OperationId id) {
    return id.key().masked() + "#" + id.digest().toHex().substring(0, TAG_DIGITS);
  }

  /** Without anything that could forge a line of a log, or speak to a terminal. */
  static String printable(String text) {
    return text.replaceAll("\\P{Graph}", "?");
  }
}
