package dev.once.http.gateway.config;

import dev.once.core.store.Stores;
import dev.once.http.semantics.NearestWord;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A value as somebody wrote it.
 *
 * @param label the name that they wrote, which may be the other of two
 */
record GivenValue(String label, String text, Origin origin) {

  /** An expectation that is a choice of words, and no description. */
  private static final Pattern WORDS =
      Pattern.compile("[a-z0-9-]+(, [a-z0-9-]+)*( or [a-z0-9-]+)?");

  /** The error that this is not what is expected. */
  String unexpected(String expected) {
    String meant = "";
    if (WORDS.matcher(expected).matches()) {
      meant =
          NearestWord.to(text, List.of(expected.split(", | or ", -1)))
              .map(word -> "; did you mean " + word + "?")
              .orElse("");
    }
    return "'" + shown() + "' (expected: " + expected + meant + ")";
  }

  /** The text, without a password that it may have as a URL. */
  String shown() {
    return Stores.masked(text);
  }
}
