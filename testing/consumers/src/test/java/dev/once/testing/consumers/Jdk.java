package dev.once.testing.consumers;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** A JDK on this machine. */
record Jdk(int version, Path home) {

  /**
   * One of each version: that of the build, those that {@code JAVA_HOME...} variables name, as
   * continuous integration has them, and those that are installed beside them.
   */
  static List<Jdk> found() throws IOException {
    Map<Integer, Jdk> found = new TreeMap<>();
    List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
      if (variable.getKey().startsWith("JAVA_HOME") && !variable.getValue().isBlank()) {
        homes.add(Path.of(variable.getValue()));
      }
    }
    for (Path home : List.copyOf(homes)) {
      if (home.getParent() != null && Files.isDirectory(home.getParent())) {
        try (DirectoryStream<Path> beside = Files.newDirectoryStream(home.getParent())) {
          beside.forEach(homes::add);
        }
      }
    }
    for (Path home : homes) {
      int version = version(home);
      if (version >= 17) {
        found.putIfAbsent(version, new Jdk(version, home));
      }
    }
    return List.copyOf(found.values());
  }

  /** 0 if there is no JDK. */
  private static int version(Path home) throws IOException {
    Path release = home.resolve("release");
    if (!Files.isRegularFile(release) || !Files.isExecutable(home.resolve("bin/javac"))) {
      return 0;
    }
    Properties properties = new Properties();
    try (var in = Files.newInputStream(release)) {
      properties.load(in);
    }
    String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
    return Integer.parseInt(version.split("\\D", 2)[0]);
  }

  String tool(String name) {
    return home.resolve("bin").resolve(name).toString();
  }

  @Override
  public String toString() {
    return "JDK " + version;
  }
}
