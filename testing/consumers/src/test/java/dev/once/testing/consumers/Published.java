package dev.once.testing.consumers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A module that is published, with the jar and the pom that users get of it. */
record Published(String artifact, Path folder) {

  @Override
  public String toString() {
    return artifact;
  }

  /** All of them, the BOM included: the modules of the root that do not say otherwise. */
  static List<Published> all() {
    return Xml.read(Build.ROOT.resolve("pom.xml")).texts("/project/modules/module").stream()
        .map(Build.ROOT::resolve)
        .filter(folder -> !isKeptBack(folder))
        .map(
            folder ->
                new Published(
                    Xml.read(folder.resolve("pom.xml")).text("/project/artifactId"), folder))
        .toList();
  }

  private static boolean isKeptBack(Path folder) {
    Xml pom = Xml.read(folder.resolve("pom.xml"));
    return pom.texts("/project/properties/maven.deploy.skip").contains("true");
  }

  boolean isBom() {
    return artifact.equals("once-bom");
  }

  Path pom() {
    return folder.resolve(".flattened-pom.xml");
  }

  Path jar() {
    return folder.resolve("target").resolve(artifact + "-" + Build.VERSION + ".jar");
  }

  /** Puts it where Maven looks for what was installed. */
  void installIn(Path repository) {
    Path to = repository.resolve("dev/once").resolve(artifact).resolve(Build.VERSION);
    String name = artifact + "-" + Build.VERSION;
    try {
      Files.createDirectories(to);
      Files.copy(pom(), to.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
      if (!isBom()) {
        Files.copy(jar(), to.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(artifact + ": not packaged; run ./mvnw verify", e);
    }
  }
}
