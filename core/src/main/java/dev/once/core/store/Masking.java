package dev.once.core.store;

import java.util.regex.Pattern;

/** Takes users and passwords out of what people see. */
final class Masking {

  /**
   * Up to the last @: a password may have any character that it should not have, and what is before
   * a scheme (a quote, a space) does not make it less of a secret.
   */
  private static final Pattern USER =
      Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*:(?://)?)?.*@", Pattern.DOTALL);

  private static final Pattern SECRET =
      Pattern.compile("(?i)([?&;][^=&#]*(?:password|passwd|pwd|secret|token)[^=&#]*=)[^&]*");

  private static final Pattern USER_WITHIN = Pattern.compile("://\\S*@");
  private static final Pattern SECRET_WITHIN =
      Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)=)[^&\\s]*");

  private Masking() {}

  /** What may be a URL, without its user and passwords. */
  static String url(String text) {
    String withoutUser = USER.matcher(text).replaceFirst("$1****@");
    return SECRET.matcher(withoutUser).replaceAll("$1****");
  }

  /** A sentence that may have URLs in it, on one line, without their users and passwords. */
  static String sentence(String text) {
    String withoutUsers = USER_WITHIN.matcher(text).replaceAll("://****@");
    return SECRET_WITHIN.matcher(withoutUsers).replaceAll("$1****").replaceAll("\\s+", " ").strip();
  }
}
