package dev.once.testing.consumers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where this build has what it made, and its settings. */
final class Build {

  /** The module's folder is the working directory of its tests. */
  static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

  static final Path TARGET = Path.of("target", "consumers").toAbsolutePath();

  static final String VERSION = setting("once.version");

  private Build() {}

  static String setting(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(
          name + ": not set (expected: a run by Maven, ./mvnw verify; see the module's pom.xml)");
    }
    return value;
  }

  /** Files below a folder, as Maven projects have them, without what was built. */
  static List<Path> files(Path folder, String ending) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(ending) && Files.isRegularFile(file))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
