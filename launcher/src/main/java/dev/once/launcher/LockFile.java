package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the command line is made of: our modules, as folders, and the jars that they need, each with
 * its checksum. A test of the module {@code cli} holds it equal to what Maven resolves.
 */
public record LockFile(List<String> modules, List<Jar> jars) {

  private static final String MODULE = "module ";
  private static final String JAR = "jar ";

  public LockFile {
    modules = List.copyOf(modules);
    jars = List.copyOf(jars);
  }

  /** Where it is in the project. */
  public static Path in(Path project) {
    return project.resolve("launcher/jars.lock");
  }

  public static LockFile read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    try {
      return new LockFile(
          after(MODULE, lines).toList(), after(JAR, lines).map(Jar::parse).toList());
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static Stream<String> after(String start, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()));
  }

  /** The text of such a file, below a comment. */
  public String text(String comment) {
    return Stream.of(
            Stream.of("# " + comment),
            modules.stream().map(MODULE::concat),
            jars.stream().map(jar -> JAR + jar.text()))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
