package dev.once.http.semantics;

import dev.once.http.semantics.text.Tokens;
import org.jspecify.annotations.Nullable;

/** Hosts, as fingerprints see them. */
final class HostNames {

  private HostNames() {}

  /**
   * One spelling for a host: in lower case, without the dot at its end, and without a port. Several
   * ports of one host are doors to one service, and a retry may come through another one.
   */
  static String normal(@Nullable String host) {
    if (host == null) {
      return "";
    }
    String name = Tokens.lower(host.strip());
    int colon = name.lastIndexOf(':');
    if (colon > name.lastIndexOf(']')) {
      name = name.substring(0, colon);
    }
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }
}
