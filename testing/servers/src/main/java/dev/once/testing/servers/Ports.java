package dev.once.testing.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports, below those that the system gives to outgoing connections: a server that was killed
 * finds its port free when it is restarted. None is given twice: one that was given may be used
 * only later, or again.
 */
final class Ports {

  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;
  private static final int TRIES = 100;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private Ports() {}

  static int free() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (!GIVEN.add(port)) {
        continue;
      }
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // taken: another one, then
      }
    }
    throw new IllegalStateException("no free port between " + FIRST + " and " + LAST);
  }
}
