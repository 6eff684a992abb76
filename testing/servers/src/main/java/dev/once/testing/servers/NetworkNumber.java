package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link NetworkHost} is named after, its addresses too; no two of this machine have the
 * same. A lock on a file holds it, which ends with this JVM, however that ends: whoever finds the
 * lock free deletes what is left of that host.
 */
final class NetworkNumber {

  private static final int COUNT = 256;
  private static final Path LOCKS = Path.of("/run");
  private static final Path DEVICES = Path.of("/sys/class/net");
  private static final Path NAMESPACES = Path.of("/run/netns");

  /** A file must not be opened again here: to close it would end the first lock too. */
  private static final Set<Integer> HELD = new HashSet<>();

  private final int number;
  private final FileChannel lock;

  private NetworkNumber(int number, FileChannel lock) {
    this.number = number;
    this.lock = lock;
  }

  /** A free one. What other JVMs left behind is gone then. */
  static NetworkNumber take() throws IOException {
    synchronized (HELD) {
      NetworkNumber taken = null;
      for (int i = 0; i < COUNT && (taken == null || Files.exists(file(i))); i++) {
        NetworkNumber free = tryLock(i);
        if (free != null) {
          free.deleteNetwork();
          if (taken == null) {
            taken = free;
          } else {
            free.unlock();
          }
        }
      }
      if (taken == null) {
        throw new IOException("all " + COUNT + " numbers are taken");
      }
      return taken;
    }
  }

  /** Null if it is somebody else's. */
  private static @Nullable NetworkNumber tryLock(int number) throws IOException {
    if (HELD.contains(number)) {
      return null;
    }
    FileChannel file =
        FileChannel.open(file(number), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (file.tryLock() == null) {
      file.close();
      return null;
    }
    HELD.add(number);
    return new NetworkNumber(number, file);
  }

  private static Path file(int number) {
    return LOCKS.resolve("once-network-" + number + ".lock");
  }

  /** Of the namespace. */
  String name() {
    return "once-" + number;
  }

  /** Of a link's device, at both of its ends. */
  String device(int link) {
    return name() + "-" + link;
  }

  /** In a range that is for tests of networks: no machine has it. */
  String address(int link, int end) {
    return "198.18." + number + "." + (4 * link + 1 + end);
  }

  /** How Ethernet calls the same end. */
  String hardware(int link, int end) {
    return "02:00:c6:12:%02x:%02x".formatted(number, 4 * link + 1 + end);
  }

  void deleteNetwork() throws IOException {
    if (Files.exists(NAMESPACES.resolve(name()))) {
      Commands.run("ip", "netns", "del", name());
    }
    List<String> left;
    try (Stream<Path> devices = Files.list(DEVICES)) {
      left = devices.map(device -> device.getFileName().toString()).toList();
    }
    for (String device : left) {
      if (device.startsWith(name() + "-")) {
        // The system does it too, in its own time, when the namespace is gone.
        Commands.works("ip", "link", "del", device);
      }
    }
  }

  /** Gives it back, without its network. */
  void release() {
    synchronized (HELD) {
      try {
        deleteNetwork();
        unlock();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void unlock() throws IOException {
    lock.close();
    HELD.remove(number);
  }
}
