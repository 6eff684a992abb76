package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A link to a {@link NetworkHost}. It can lose all packets in one direction or in both; TCP sends
 * them again, ever more rarely, and they arrive some time after the link was healed.
 */
public final class NetworkLink {

  private static final List<Path> CONNECTIONS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final int REMOTE = 2;
  private static final int QUEUES = 4;
  private static final String NOTHING_TO_SEND = "00000000:";

  private final NetworkEnd near;
  private final NetworkEnd far;

  NetworkLink(NetworkEnd near, NetworkEnd far) {
    this.near = near;
    this.far = far;
  }

  /** The host, seen from the other end. */
  public String address() {
    return far.address();
  }

  /** A URL of a server on the host, led through this link. */
  public String url(String url) {
    URI uri = URI.create(url);
    return url.replaceFirst("(//|@)" + uri.getHost() + ":", "$1" + address() + ":");
  }

  /** What is sent to the host does not arrive. */
  public void loseRequests() {
    near.lose(far);
  }

  /** What is sent to the host arrives and takes effect; what it sends does not arrive. */
  public void loseReplies() {
    far.lose(near);
  }

  /** Nothing arrives at either end. */
  public void cut() {
    loseRequests();
    loseReplies();
  }

  /** What is sent from now on arrives, and what is sent again. */
  public void heal() {
    near.reach(far);
    far.reach(near);
  }

  /**
   * How many connections from this machine have bytes on the way that the host has not confirmed,
   * also those that were closed here.
   */
  public long undelivered() {
    return CONNECTIONS.stream().flatMap(NetworkLink::lines).filter(this::isUndelivered).count();
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.exists(file)
          ? Files.readAllLines(file, StandardCharsets.US_ASCII).stream().skip(1)
          : Stream.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isUndelivered(String line) {
    String[] fields = line.strip().split("\\s+", -1);
    String remote = fields[REMOTE].substring(0, fields[REMOTE].indexOf(':'));
    return remote.endsWith(hexadecimal(address())) && !fields[QUEUES].startsWith(NOTHING_TO_SEND);
  }

  /** As the kernel writes it: the last byte first. */
  private static String hexadecimal(String address) {
    String text = "";
    for (String part : address.split("\\.", -1)) {
      text = "%02X".formatted(Integer.parseInt(part)) + text;
    }
    return text;
  }
}
