package dev.once.testing.servers;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a server runs.
 *
 * @param address where this JVM finds it
 * @param bind what it listens on
 * @param prefix what goes before the command that starts it
 */
record ServerPlace(String address, String bind, List<String> prefix) {

  static final ServerPlace HERE = new ServerPlace("127.0.0.1", "127.0.0.1", List.of());

  List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(command);
    return all;
  }
}
