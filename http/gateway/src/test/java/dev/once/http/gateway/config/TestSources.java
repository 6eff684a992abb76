package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Flags, a file and an environment for a test. Problems name the file as once.yaml. */
final class TestSources {

  private final Map<String, List<String>> flags = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final Path folder;
  private Path file;

  TestSources(Path folder) {
    this.folder = folder;
  }

  /** With an upstream, so that only what the test is about can be wrong. */
  static TestSources withUpstream(Path folder) {
    return new TestSources(folder).flag("upstream", "http://localhost:3000");
  }

  TestSources flag(String label, String... texts) {
    flags.put(label, List.of(texts));
    return this;
  }

  TestSources variable(String name, String text) {
    environment.put(name, text);
    return this;
  }

  TestSources file(String... lines) {
    file = folder.resolve("once.yaml");
    try {
      // In one step: somebody may look at it, and half a file is another file.
      Path whole = Files.createTempFile(folder, "once", ".yaml");
      Files.writeString(whole, String.join("\n", lines) + "\n");
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** A file that is there already. */
  TestSources existing(String name) {
    file = folder.resolve(name);
    return this;
  }

  Sources sources() {
    return new Sources(flags, file, environment);
  }

  Configuration load() {
    return Configuration.load(sources());
  }

  /** What is wrong, without the folder of the test. */
  List<String> problems() {
    ConfigurationException e =
        catchThrowableOfType(ConfigurationException.class, () -> Configuration.load(sources()));
    if (e == null) {
      return List.of();
    }
    return e.problems().stream().map(line -> line.replace(folder + "/", "")).toList();
  }
}
