package dev.once.launcher;

import java.nio.file.Path;
import java.util.Map;

/** Whose machine this is: where the user's files are, and the environment. */
record Machine(Path home, Map<String, String> environment) {

  Machine {
    environment = Map.copyOf(environment);
  }

  static Machine here() {
    return new Machine(Path.of(System.getProperty("user.home")), System.getenv());
  }

  String variable(String name) {
    return environment.getOrDefault(name, "");
  }
}
