package dev.once.launcher;

import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.URI;
import java.util.Optional;

/**
 * Where jars are fetched from.
 *
 * @param url of a Maven repository, without a slash at its end
 * @param proxy on the way to it; empty for what the JVM was told
 */
record Origin(URI url, Optional<Login> login, Optional<ProxyServer> proxy) {

  /** A proxy for HTTP. */
  record ProxyServer(String host, int port, Optional<Login> login) {

    Proxy proxy() {
      return new Proxy(Proxy.Type.HTTP, new InetSocketAddress(host, port));
    }
  }

  /** Tells the login to the server that it is for, and to no other. */
  Authenticator authenticator() {
    return new Authenticator() {
      @Override
      @SuppressWarnings("NullAway") // null means: no login
      protected PasswordAuthentication getPasswordAuthentication() {
        Optional<Login> asked =
            getRequestorType() == RequestorType.PROXY
                ? proxy.flatMap(ProxyServer::login)
                : login.filter(any -> getRequestingHost().equals(url.getHost()));
        return asked
            .map(known -> new PasswordAuthentication(known.user(), known.password().toCharArray()))
            .orElse(null);
      }
    };
  }
}
