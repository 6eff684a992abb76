package dev.once.core.store;

import static java.util.stream.Collectors.joining;

import java.util.regex.Pattern;

/** Takes users and passwords out of what people see. */
final class CredentialMasking {

  /**
   * Up to the last @: a password may have any character that it should not have, and what is before
   * a scheme (a quote, a space) does not make it less of a secret.
   */
  private static final Pattern USER =
      Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*:(?://)?)?.*@", Pattern.DOTALL);

  private static final Pattern SECRET =
      Pattern.compile("(?i)([?&;][^=&#]*(?:password|passwd|pwd|secret|token)[^=&#]*=)[^&]*");

  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern USER_WITHIN = Pattern.compile("://\\S*@");
  private static final Pattern SECRET_WITHIN =
      Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)=)[^&\\s]*");

  private CredentialMasking() {}

  /** What may be a URL, without its user and passwords. */
  static String url(String text) {
    String withoutSecrets = SECRET.matcher(text).replaceAll("$1****");
    // If the last @ was in a secret, nobody knows whether that began before it: all is hidden.
    return text.contains("@") && !withoutSecrets.contains("@")
        ? text.substring(0, text.indexOf(':') + 1) + "****"
        : USER.matcher(withoutSecrets).replaceFirst("$1****@");
  }

  /** A sentence that may have URLs in it, on one line, without their users and passwords. */
  static String sentence(String text) {
    return BLANKS.splitAsStream(text.strip()).map(CredentialMasking::word).collect(joining(" "));
  }

  private static String word(String word) {
    String withoutSecrets = SECRET_WITHIN.matcher(word).replaceAll("$1****");
    int scheme = word.indexOf("://");
    return scheme >= 0 && word.contains("@") && !withoutSecrets.contains("@")
        ? word.substring(0, scheme) + "://****"
        : USER_WITHIN.matcher(withoutSecrets).replaceAll("://****@");
  }
}
