package dev.once.testing.servers;

import org.junit.jupiter.api.Assumptions;

/**
 * Whether the servers that the build brings run on this machine. Where they do not, the tests that
 * ask for one are skipped, and the end of the build says so. To see that on a machine where they
 * do: {@code -Donce.servers=off}.
 */
final class Platform {

  private static final String OFF = "off";

  private final String name;
  private final boolean off;

  Platform(String system, String machine, String servers) {
    this.name = system + " " + machine;
    this.off = servers.equals(OFF);
  }

  /** The machine of this JVM. */
  static Platform here() {
    return new Platform(
        System.getProperty("os.name"),
        System.getProperty("os.arch"),
        System.getProperty("once.servers", ""));
  }

  /** Skips the test if this server has no program for Linux on amd64 alone, and this is another. */
  void requireLinux(String server, String variable) {
    require(
        name.equals("Linux amd64"),
        "%s: the build brings no program for %s (expected: Linux amd64); set %s to the URL of a running server"
            .formatted(server, name, variable));
  }

  /** Skips the test if a server's program is not there. */
  void require(boolean isThere, String otherwise) {
    Assumptions.assumeFalse(off, "servers are switched off by -Donce.servers=off");
    Assumptions.assumeTrue(isThere, otherwise);
  }

  /** The system and the machine, as Java calls them. */
  @Override
  public String toString() {
    return name;
  }
}
