package dev.once.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles the modules in one run, for the class path, into one jar that names those which it
 * needs. As Maven does it, but without its checks.
 */
final class Compilation {

  private static final List<String> OPTIONS =
      List.of("--release", "17", "-g", "-proc:none", "-nowarn", "-Xlint:none");

  private final Path project;
  private final LockFile lock;
  private final Path lib;

  Compilation(Path project, LockFile lock, Path lib) {
    this.project = project;
    this.lock = lock;
    this.lib = lib;
  }

  /**
   * Writes the jar, beside the folder of those that it needs. What is wrong with the sources is
   * said to standard error.
   */
  void to(Path jar) throws IOException, RefusedException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new RefusedException(
          System.getProperty("java.home") + " has no compiler (expected: a JDK, 17 or later)");
    }
    Files.deleteIfExists(jar);
    URI uri = URI.create("jar:" + jar.toUri());
    try (FileSystem content = FileSystems.newFileSystem(uri, Map.of("create", "true"))) {
      Path root = content.getPath("/");
      compile(compiler, root);
      for (String module : lock.modules()) {
        addResources(project.resolve(module).resolve("src/main/resources"), root);
      }
      addManifest(root);
    }
  }

  private void compile(JavaCompiler compiler, Path output) throws IOException, RefusedException {
    List<Path> sources = new ArrayList<>();
    for (String module : lock.modules()) {
      sources.addAll(
          files(project.resolve(module).resolve("src/main/java")).stream()
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("module-info.java"))
              .toList());
    }
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(output));
      files.setLocationFromPaths(
          StandardLocation.CLASS_PATH,
          lock.jars().stream().map(jar -> lib.resolve(jar.fileName())).toList());
      boolean compiled =
          compiler
              .getTask(null, files, null, OPTIONS, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      if (!compiled) {
        throw new RefusedException("the sources do not compile");
      }
    }
  }

  /** Service files of the same name become one. */
  private static void addResources(Path folder, Path output) throws IOException {
    for (Path file : files(folder)) {
      String name = folder.relativize(file).toString();
      Path target = output.resolve(name);
      Files.createDirectories(target.getParent());
      if (name.startsWith("META-INF/services/")) {
        String text = Files.readString(file) + "\n";
        Files.writeString(target, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } else {
        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private void addManifest(Path output) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(
        Attributes.Name.CLASS_PATH,
        lock.jars().stream()
            .map(jar -> lib.getFileName() + "/" + jar.fileName())
            .collect(Collectors.joining(" ")));
    Files.createDirectories(output.resolve("META-INF"));
    try (var out = Files.newOutputStream(output.resolve("META-INF/MANIFEST.MF"))) {
      manifest.write(out);
    }
  }

  /** All files below a folder, in a fixed order; none if it does not exist. */
  private static List<Path> files(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
