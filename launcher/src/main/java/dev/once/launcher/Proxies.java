package dev.once.launcher;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.w3c.dom.Element;

/** Which proxy of the settings is on the way to a server, by Maven's rules. */
final class Proxies {

  private Proxies() {}

  /** The active one of the URL's protocol; for https also one that is said to be for http. */
  static Optional<Element> forUrl(URI url, List<Element> proxies) {
    return ofProtocol(url.getScheme(), proxies)
        .or(() -> ofProtocol("http", proxies))
        .filter(proxy -> !isExcluded(url.getHost(), Xml.text(proxy, "nonProxyHosts").orElse("")));
  }

  private static Optional<Element> ofProtocol(String protocol, List<Element> proxies) {
    return proxies.stream()
        .filter(proxy -> Xml.text(proxy, "active").orElse("true").equals("true"))
        .filter(proxy -> Xml.text(proxy, "protocol").orElse("http").equalsIgnoreCase(protocol))
        .findFirst();
  }

  private static boolean isExcluded(String host, String patterns) {
    return Arrays.stream(patterns.split("[|,]", -1))
        .map(pattern -> Pattern.quote(pattern.strip()).replace("*", "\\E.*\\Q"))
        .anyMatch(pattern -> host.matches("(?i)" + pattern));
  }
}
