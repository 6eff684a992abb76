package dev.once.http.surfaces;

import dev.once.http.gateway.Gateway;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.Sources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The gateway in front of an {@link Upstream}; and another one, with the same store, in front of
 * nothing: there a request does not run.
 */
final class GatewaySurface implements Surface {

  private final FaultyStore store = new FaultyStore();
  private final Upstream upstream = new Upstream();
  private final Gateway gateway;
  private final Gateway unreachable;

  GatewaySurface() throws IOException {
    gateway = start(upstream.port());
    unreachable = start(freePort());
  }

  private Gateway start(int upstreamPort) throws IOException {
    Path file = Files.createTempFile("once-surfaces", ".yaml");
    String text =
        """
        upstream: http://localhost:%d
        listen: localhost:0
        admin: none
        store: "%s"
        store-timeout: %s
        """
            .formatted(upstreamPort, FaultyStores.add(store), SpringSurface.STORE_TIMEOUT);
    Files.writeString(file, text + Policies.yaml());
    try {
      return Gateway.start(Configuration.load(new Sources(Map.of(), file, Map.of())).settings());
    } finally {
      Files.delete(file);
    }
  }

  /** Nobody listens there any more. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public FaultyStore store() {
    return store;
  }

  @Override
  public int port(Behaviour behaviour, boolean first) {
    return (behaviour == Behaviour.DOES_NOT_RUN && first ? unreachable : gateway).port();
  }

  @Override
  public void closeEngine() {
    throw new UnsupportedOperationException("a gateway closes its engine when its port is closed");
  }

  @Override
  public void close() {
    upstream.close();
    gateway.close();
    unreachable.close();
  }
}
