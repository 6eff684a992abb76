package dev.once.http.semantics;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that somebody probably meant. */
public final class NearestWord {

  private NearestWord() {}

  /** The known word with the fewest edits; none if all are too far to be a slip. */
  public static Optional<String> to(String word, Collection<String> known) {
    String plain = plain(word);
    int least = Math.max(2, plain.length() / 3) + 1;
    String nearest = null;
    for (String candidate : known) {
      int edits = edits(plain, plain(candidate));
      if (edits < least && edits < candidate.length()) {
        least = edits;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** An error about a word that is not known. */
  public static String unknown(String word, Collection<String> known, String otherwise) {
    return to(word, known)
        .map(nearest -> "unknown (did you mean " + nearest + "?)")
        .orElse("unknown (expected: " + otherwise + ")");
  }

  /** Case, and which of the two lines stands between words, are no edits. */
  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Levenshtein's distance, a row of his table at a time. */
  private static int edits(String from, String to) {
    int[] above = new int[to.length() + 1];
    Arrays.setAll(above, i -> i);
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[to.length()];
  }
}
