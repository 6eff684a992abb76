package dev.once.testing.servers;

import java.util.ArrayList;
import java.util.List;

/**
 * One end of a link.
 *
 * @param where the first arguments of {@code ip}, which say on which host
 * @param hardware its address for Ethernet
 */
record NetworkEnd(List<String> where, String device, String address, String hardware) {

  /** On this machine itself. */
  static final List<String> HERE = List.of();

  /** An address that no device has. */
  private static final String NOBODY = "02:00:00:00:00:00";

  void begin() {
    ip("addr", "add", address + "/30", "dev", device);
    ip("link", "set", device, "up");
  }

  /** All that is sent from here goes to nobody, and nobody is told. */
  void lose(NetworkEnd other) {
    sendTo(other, NOBODY);
  }

  void reach(NetworkEnd other) {
    sendTo(other, other.hardware());
  }

  private void sendTo(NetworkEnd other, String receiver) {
    ip("neigh", "replace", other.address, "lladdr", receiver, "dev", device, "nud", "permanent");
  }

  void ip(String... arguments) {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(where);
    command.addAll(List.of(arguments));
    Commands.run(command.toArray(new String[0]));
  }
}
