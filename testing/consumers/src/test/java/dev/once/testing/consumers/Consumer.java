package dev.once.testing.consumers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/** A project that uses published jars, with the class path that Maven has resolved for it. */
record Consumer(String name, Path folder) {

  static final String CLASS_PATH_FILE = "target/class-path";

  /** The lines that each run must say, in this order. */
  List<String> expected() throws Exception {
    return Files.readAllLines(folder.resolve("expected.txt"));
  }

  String onClassPath(Jdk jdk) throws Exception {
    Path classes = classes("class-path", jdk);
    List<String> files = sources();
    files.removeIf(file -> file.endsWith("module-info.java"));
    compile(jdk, classes, List.of("--class-path", jars()), files);
    return runOnClassPath(jdk, classes);
  }

  String onModulePath(Jdk jdk) throws Exception {
    Path classes = classes("module-path", jdk);
    // A class path, too: javac in this JVM would take that of the tests.
    compile(
        jdk,
        classes,
        List.of("--module-path", jars(), "--class-path", folder.toString()),
        sources());
    if (Files.exists(folder.resolve("runs-on-class-path.txt"))) {
      return runOnClassPath(jdk, classes);
    }
    String module = main().substring(0, main().lastIndexOf('.'));
    List<String> arguments = new ArrayList<>(moduleOptions());
    arguments.addAll(List.of("--module-path", classes + File.pathSeparator + jars()));
    arguments.addAll(List.of("--module", module + "/" + main()));
    return run(jdk, arguments);
  }

  private String runOnClassPath(Jdk jdk, Path classes) throws Exception {
    String path = classes + File.pathSeparator + jars();
    return run(jdk, List.of("--class-path", path, main()));
  }

  /** What a library's guide says that a modular application has to be started with. */
  private List<String> moduleOptions() throws Exception {
    Path file = folder.resolve("java-options.txt");
    return Files.exists(file) ? List.of(Files.readString(file).split("\\s+")) : List.of();
  }

  /**
   * By the JDK's own javac; that of this JVM without a process, which takes a third of the time.
   */
  private void compile(Jdk jdk, Path classes, List<String> path, List<String> files)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of("--release", "17", "-parameters"));
    arguments.addAll(List.of("-Xlint:all", "-Werror", "-d", classes.toString()));
    arguments.addAll(path);
    arguments.addAll(files);
    if (jdk.version() != Runtime.version().feature()) {
      arguments.add(0, jdk.tool("javac"));
      Processes.run(folder, jdk.home(), arguments);
      return;
    }
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output, true);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    int code = javac.run(writer, writer, arguments.toArray(String[]::new));
    assertThat(code).as("javac: %s", output).isZero();
  }

  private String run(Jdk jdk, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(jdk.tool("java"), "-XX:TieredStopAtLevel=1"));
    command.add("-Dserver.port=0");
    command.addAll(arguments);
    return Processes.run(Files.createTempDirectory(Build.TARGET, name), jdk.home(), command);
  }

  private Path classes(String path, Jdk jdk) {
    return folder.resolve("target").resolve(path + "-" + jdk.version());
  }

  private List<String> sources() {
    return new ArrayList<>(
        Build.files(folder.resolve("src/main/java"), ".java").stream()
            .map(Path::toString)
            .toList());
  }

  private String main() {
    Path file = Build.files(folder.resolve("src/main/java"), "Main.java").get(0);
    String relative = folder.resolve("src/main/java").relativize(file).toString();
    return relative.replace(".java", "").replace(File.separatorChar, '.');
  }

  private String jars() throws Exception {
    return Files.readString(folder.resolve(CLASS_PATH_FILE), UTF_8).strip();
  }
}
