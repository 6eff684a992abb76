package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A host of its own for a server: a network namespace of this machine, with links that can lose
 * packets in one direction only. What a proxy cannot do is real here: bytes wait in the kernel's
 * buffers, are sent again, and arrive late, after their connection was closed.
 *
 * <p>There is always one link that loses nothing, for the test itself. Where namespaces cannot be
 * made the test is skipped.
 */
public final class NetworkHost implements AutoCloseable {

  private static final String EXPECTED =
      "(expected: Linux, root with CAP_NET_ADMIN, and the command ip of iproute2)";

  private static final int MAX_LINKS = 60;

  private final NetworkNumber number;
  private int links;
  private boolean closed;

  private NetworkHost(NetworkNumber number) {
    this.number = number;
  }

  public static NetworkHost start() {
    if (!Commands.works("ip", "-V") || !System.getProperty("user.name").equals("root")) {
      return skip("no ip, or not root");
    }
    NetworkNumber number;
    try {
      number = NetworkNumber.take();
    } catch (IOException e) {
      return skip(e.toString());
    }
    NetworkHost host = new NetworkHost(number);
    Runtime.getRuntime().addShutdownHook(new Thread(host::close, "close " + host));
    try {
      Commands.run("ip", "netns", "add", number.name());
      Commands.run("ip", "-n", number.name(), "link", "set", "lo", "up");
      host.link();
      return host;
    } catch (IllegalStateException | UncheckedIOException e) {
      host.close();
      return skip(e.toString());
    }
  }

  private static NetworkHost skip(String why) {
    return Assumptions.abort("network namespaces: " + why + " " + EXPECTED);
  }

  /** A new link to it from this machine. */
  public NetworkLink link() {
    return link(NetworkEnd.HERE);
  }

  /** A new link to it from another host. */
  public NetworkLink linkFrom(NetworkHost other) {
    return link(List.of("-n", other.number.name()));
  }

  private synchronized NetworkLink link(List<String> from) {
    if (links == MAX_LINKS) {
      throw new IllegalStateException(this + ": too many links");
    }
    int link = links++;
    String device = number.device(link);
    NetworkEnd near =
        new NetworkEnd(from, device, number.address(link, 0), number.hardware(link, 0));
    NetworkEnd far =
        new NetworkEnd(
            List.of("-n", number.name()),
            device,
            number.address(link, 1),
            number.hardware(link, 1));
    near.ip(
        "link",
        "add",
        device,
        "address",
        near.hardware(),
        "type",
        "veth",
        "peer",
        "name",
        device,
        "address",
        far.hardware(),
        "netns",
        number.name());
    near.begin();
    far.begin();
    NetworkLink made = new NetworkLink(near, far);
    made.heal();
    return made;
  }

  /** Where this machine finds it, whatever happens to links. */
  public String address() {
    return number.address(0, 1);
  }

  /** What listens there, listens on all links. */
  ServerPlace place() {
    return new ServerPlace(address(), "0.0.0.0", List.of("ip", "netns", "exec", number.name()));
  }

  /** Ends it with its links; what runs on it should have ended. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      number.release();
    }
  }

  @Override
  public String toString() {
    return number.name();
  }
}
