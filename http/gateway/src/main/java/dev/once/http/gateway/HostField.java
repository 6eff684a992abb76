package dev.once.http.gateway;

import java.util.regex.Pattern;

/**
 * Whether a host is one (RFC 9110, 7.2): a name or an address, and perhaps a port. What names may
 * have by the letter of RFC 3986 and no name has, such as a comma or a percent sign, is refused:
 * servers behind could read two hosts, or another one.
 */
final class HostField {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~-]+(:[0-9]{0,5})?");

  private static final Pattern IPV6 =
      Pattern.compile("\\[[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(\\.[0-9.]+)?\\](:[0-9]{0,5})?");

  private static final int LARGEST_PORT = 65535;

  private HostField() {}

  static boolean isWellFormed(String host) {
    if (!NAME.matcher(host).matches() && !IPV6.matcher(host).matches()) {
      return false;
    }
    String port = host.substring(Math.max(host.lastIndexOf(':'), host.lastIndexOf(']')) + 1);
    boolean named = host.lastIndexOf(':') > host.lastIndexOf(']') && !port.isEmpty();
    return !named || Integer.parseInt(port) <= LARGEST_PORT;
  }
}
