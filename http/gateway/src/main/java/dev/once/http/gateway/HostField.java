package dev.once.http.gateway;

import java.util.regex.Pattern;

/**
 * Whether a host is one (RFC 9110, 7.2): a name or an address, and perhaps a port. What names may
 * have by the letter of RFC 3986 and no name has, such as a comma or a percent sign, is refused:
 * servers behind could read two hosts, or another one.
 */
final class HostField {

  /** No part of it can match what the part before it matches: or it would try all ways to share. */
  private static final Pattern IPV6 =
      Pattern.compile("\\[(?=[^\\]]*:)[0-9A-Fa-f:]+(\\.[0-9.]+)?\\]");

  /** A name has at most 253 characters, and a port five. */
  private static final int LONGEST = 260;

  private static final int LARGEST_PORT = 65535;
  private static final int MAX_DIGITS = 5;

  private HostField() {}

  static boolean isWellFormed(String host) {
    if (host.length() > LONGEST) {
      return false;
    }
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : endOfName(host);
    if (end == 0 || (host.charAt(0) == '[' && !IPV6.matcher(host.substring(0, end)).matches())) {
      return false;
    }
    return end == host.length() || (host.charAt(end) == ':' && isPort(host, end + 1));
  }

  private static int endOfName(String host) {
    int at = 0;
    while (at < host.length() && isOfName(host.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isOfName(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || (c >= 'A' && c <= 'Z')
        || c == '.'
        || c == '-'
        || c == '_'
        || c == '~';
  }

  /** Digits to the end, or nothing. */
  private static boolean isPort(String host, int start) {
    int port = 0;
    for (int at = start; at < host.length(); at++) {
      char c = host.charAt(at);
      if (c < '0' || c > '9') {
        return false;
      }
      port = port * 10 + c - '0';
    }
    return host.length() - start <= MAX_DIGITS && port <= LARGEST_PORT;
  }
}
