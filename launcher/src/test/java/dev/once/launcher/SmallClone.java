package dev.once.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/**
 * A clone of a small project, and the home of its user: modules {@code left} and {@code right},
 * which name a provider each of the same service, and a library that they need.
 */
final class SmallClone {

  static final String LIBRARY = "org/example/greeting/1.0/greeting-1.0.jar";

  final Path project;
  final Path home;
  final byte[] library;
  final Map<String, String> environment = new HashMap<>();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  SmallClone(Path folder) throws IOException {
    project = Files.createDirectories(folder.resolve("project"));
    home = Files.createDirectories(folder.resolve("home"));
    Path jar = libraryJar(folder.resolve("library"));
    library = Files.readAllBytes(jar);
    write(
        "pom.xml",
        """
        <project>
          <properties>
            <greeting.version>1.0</greeting.version>
            <maven-dependency-plugin.version>1</maven-dependency-plugin.version>
          </properties>
          <dependencyManagement><dependencies><dependency>
            <groupId>org.example</groupId><artifactId>greeting</artifactId>
            <version>${greeting.version}</version>
          </dependency></dependencies></dependencyManagement>
        </project>
        """);
    module("left");
    module("right");
    lock(java.util.HexFormat.of().formatHex(Jar.digest(jar)));
  }

  void lock(String sha256) throws IOException {
    lock(List.of(jar("greeting", sha256)));
  }

  void lock(List<Jar> jars) throws IOException {
    write("launcher/jars.lock", new LockFile(List.of("left", "right"), jars).text("A test"));
  }

  /** The library, by another name perhaps. */
  Jar jar(String artifact, String sha256) {
    return new Jar("org.example", artifact, "1.0", "", sha256, library.length);
  }

  private void module(String name) throws IOException {
    write(
        name + "/pom.xml",
        """
        <project><artifactId>once-%s</artifactId><dependencies><dependency>
          <groupId>org.example</groupId><artifactId>greeting</artifactId>
        </dependency></dependencies></project>
        """
            .formatted(name));
    source(name, "hello");
    write(name + "/src/main/java/module-info.java", "module " + name + " {}");
    write(name + "/src/main/resources/META-INF/services/java.lang.Runnable", name + ".Hello");
    write(name + "/src/main/resources/" + name + "/words.txt", name);
  }

  /** A class that prints a word, by means of the library. */
  void source(String module, String word) throws IOException {
    write(
        module + "/src/main/java/" + module + "/Hello.java",
        """
        package %s;
        public class Hello implements Runnable {
          public void run() { System.out.println(org.example.Greeting.of("%s")); }
          public static void main(String[] arguments) {
            java.util.ServiceLoader.load(Runnable.class).forEach(Runnable::run);
          }
        }
        """
            .formatted(module, word));
  }

  void write(String name, String text) throws IOException {
    write(project.resolve(name), text);
  }

  void settings(String text) throws IOException {
    write(home.resolve(".m2/settings.xml"), "<settings>" + text + "</settings>");
  }

  /** Makes the command line, as {@code ./once} does. Returns the exit code. */
  int make() throws InterruptedException {
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    return Main.make(project, new Machine(home, environment), new Progress(out, false));
  }

  /** What was said so far. */
  String output() {
    return output.toString(StandardCharsets.UTF_8);
  }

  Path made() {
    return project.resolve("launcher/target/once/once.jar");
  }

  /** What the providers of both modules print, in a JVM of their own. */
  String run() throws IOException {
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                made().toString(),
                "left.Hello")
            .redirectErrorStream(true)
            .start();
    return new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Path libraryJar(Path folder) throws IOException {
    Path source = folder.resolve("org/example/Greeting.java");
    write(
        source,
        "package org.example; public class Greeting {"
            + " public static String of(String word) { return word + \"!\"; } }");
    ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString());
    Path jar = folder.resolve("greeting.jar");
    java.util.spi.ToolProvider.findFirst("jar")
        .orElseThrow()
        .run(
            System.out,
            System.err,
            "cf",
            jar.toString(),
            "-C",
            folder.toString(),
            "org/example/Greeting.class");
    return jar;
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
