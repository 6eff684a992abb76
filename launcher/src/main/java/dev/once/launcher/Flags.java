package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What Maven is told beside its settings: MAVEN_ARGS, MAVEN_OPTS, and the files of .mvn. */
final class Flags {

  private static final Set<String> OTHER_SETTINGS =
      Set.of("-s", "--settings", "-gs", "--global-settings", "-o", "--offline", "-P");

  private final List<String> words = new ArrayList<>();

  Flags(Machine machine, Path project) throws IOException {
    add(machine.variable("MAVEN_ARGS"));
    add(machine.variable("MAVEN_OPTS"));
    for (String name : List.of(".mvn/maven.config", ".mvn/jvm.config")) {
      if (Files.exists(project.resolve(name))) {
        add(Files.readString(project.resolve(name)));
      }
    }
  }

  private void add(String text) {
    words.addAll(List.of(text.strip().split("\\s+", -1)));
  }

  /** The value of {@code -Dname=value}. */
  Optional<String> value(String name) {
    String start = "-D" + name + "=";
    return words.stream()
        .filter(word -> word.startsWith(start))
        .map(word -> word.substring(start.length()))
        .findFirst();
  }

  /** Other files of settings, or parts of them. */
  void refuseOtherSettings() throws CannotException {
    for (String word : words) {
      String flag = word.replaceFirst("=.*", "");
      if (OTHER_SETTINGS.contains(flag) || word.startsWith("-P")) {
        throw new CannotException("Maven is told " + word);
      }
    }
  }
}
