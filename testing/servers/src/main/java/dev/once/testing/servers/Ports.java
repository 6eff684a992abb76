package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports, below those that the system gives to outgoing connections: a server that was killed
 * finds its port free when it is restarted. None is given twice, also not to another JVM while this
 * one runs: one that was given may be used only later, or again.
 */
final class Ports {

  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;
  private static final int TRIES = 100;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  /** Each port is a byte of this file, which the JVM that has the port locks until it ends. */
  private static final FileChannel LOCKS = locks();

  private Ports() {}

  private static FileChannel locks() {
    try {
      return FileChannel.open(
          Binaries.file("ports.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int free() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (!GIVEN.add(port) || !lock(port)) {
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

  /** False if another JVM has it. */
  private static boolean lock(int port) {
    try {
      return LOCKS.tryLock(port, 1, false) != null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
