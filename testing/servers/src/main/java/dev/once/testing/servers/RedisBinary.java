package dev.once.testing.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The redis-server program, taken out of the jar that brings it. */
final class RedisBinary {

  private static final String VERSION = "7.0.15";

  private RedisBinary() {}

  /** Where the program is; it is written there at the first use, and kept for the next. */
  static Path path() throws IOException {
    String name = "redis-server-" + VERSION + "-" + platform();
    Platform.here()
        .require(
            RedisBinary.class.getResource("/" + name) != null,
            "Redis: the build brings no program for %s (expected: Linux or macOS)"
                .formatted(Platform.here()));
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "once-test-redis");
    Path program = folder.resolve(name);
    if (!Files.exists(program)) {
      createFolder(folder);
      write(name, program);
    }
    return program;
  }

  /**
   * The one that is installed, which loads its libraries when it starts; under its name, which
   * tells it what it is: Debian has it in {@code redis-tools} too, as the tool that checks files.
   */
  static Path ofTheSystem(Path folder) throws IOException {
    Path program =
        Stream.of(
                "/usr/bin/redis-server", "/usr/bin/redis-check-rdb", "/usr/local/bin/redis-server")
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(
                () -> Assumptions.abort("redis-server: not installed (expected: installed)"));
    Path name = folder.resolve("redis-server");
    return Files.exists(name) ? name : Files.createSymbolicLink(name, program);
  }

  private static void createFolder(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(folder + ": a file (expected: a folder); remove it", e);
    }
  }

  /** Under another name first: nobody may start a half-written program. */
  private static void write(String name, Path program) throws IOException {
    Path partial = Files.createTempFile(program.getParent(), name, ".part");
    try (InputStream in = RedisBinary.class.getResourceAsStream("/" + name)) {
      Files.copy(Objects.requireNonNull(in, name), partial, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!partial.toFile().setExecutable(true)) {
      throw new IOException(partial + ": cannot be made executable");
    }
    Files.move(partial, program, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String platform() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    boolean arm = machine.equals("aarch64") || machine.equals("arm64");
    String system = name.contains("mac") ? "darwin" : name;
    return system + "-" + (arm ? "arm64" : "amd64");
  }
}
