package dev.once.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code ./once} with a JDK in its path that only says how it was called. */
class OnceScriptTest {

  private static final String SAYS = "#!/bin/sh\necho \"$(basename \"$0\") $* locale=$LC_ALL\"\n";

  @TempDir private Path folder;
  private Path project;
  private final Map<String, String> environment = new HashMap<>();
  private int code;

  @BeforeEach
  void copy() throws IOException {
    folder = folder.toRealPath();
    project = project("project");
    program("java", SAYS);
    program("javac", SAYS);
    environment.put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
    environment.put("TMPDIR", Files.createDirectories(folder.resolve("temporary")).toString());
  }

  /** A clone with the script, in which everything was made. */
  private Path project(String name) throws IOException {
    Path made = Files.createDirectories(folder.resolve(name));
    Files.copy(Path.of("../once"), made.resolve("once"));
    write(made.resolve("pom.xml"), "");
    write(made.resolve("launcher/jars.lock"), "module core\n");
    write(made.resolve("launcher/src/main/java/dev/once/launcher/Main.java"), "");
    write(made.resolve("core/pom.xml"), "");
    Files.createDirectories(made.resolve("core/src/main"));
    write(made.resolve("launcher/target/once/once.jar"), "");
    write(made.resolve("launcher/target/once/once.jsa"), "made");
    return made;
  }

  private void program(String name, String text) throws IOException {
    Path file = folder.resolve("bin").resolve(name);
    write(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private String run(Path from, String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).directory(from.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    code = process.waitFor();
    return said;
  }

  private String classPath() {
    return " -cp "
        + project.resolve("launcher/target/once/once.jar")
        + " dev.once.cli.Main explain";
  }

  @Test
  void it_may_be_started_by_a_link() throws Exception {
    Path far = Files.createSymbolicLink(folder.resolve("far"), project.resolve("once"));
    Files.createSymbolicLink(folder.resolve("bin/once"), Path.of("../far"));
    assertThat(far).exists();
    assertThat(run(folder, "bin/once", "explain")).startsWith("java ").contains(classPath());
  }

  @Test
  void it_may_be_started_from_another_folder_whatever_cd_would_prefer() throws Exception {
    project("other/project");
    environment.put("CDPATH", folder.resolve("other") + ":" + folder);
    assertThat(run(folder, "project/once", "explain")).startsWith("java ").contains(classPath());
  }

  @Test
  void a_jvm_without_a_locale_is_told_one_in_which_files_may_have_any_name() throws Exception {
    assertThat(run(project, "./once", "explain")).contains("locale=C.UTF-8");
    environment.put("LC_ALL", "POSIX");
    assertThat(run(project, "./once", "explain")).contains("locale=C.UTF-8");
    environment.put("LC_ALL", "C.utf8");
    assertThat(run(project, "./once", "explain")).contains("locale=C.utf8");
  }

  @Test
  void a_jdk_that_is_too_old_is_told_by_its_name_what_is_expected() throws Exception {
    Files.delete(project.resolve("launcher/target/once/once.jar"));
    program(
        "javac",
        """
        #!/bin/sh
        case "$*" in *"--release 17 "*) echo "error: release version 17 not supported" && exit 2 ;; esac
        """);
    assertThat(run(project, "./once", "explain"))
        .startsWith("error: release version 17 not supported\nonce: " + folder.resolve("bin/javac"))
        .contains("(expected: a JDK, 17 or later, in PATH or JAVA_HOME)");
    assertThat(code).isEqualTo(2);
    assertThat(folder.resolve("temporary")).isEmptyDirectory();
  }

  /** On a thread of its own, because no interrupt ends the wait for a fifo. */
  @Test
  @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
  void the_demo_in_the_background_takes_no_port_that_a_user_may_want() throws Exception {
    Files.delete(project.resolve("launcher/target/once/once.jsa"));
    program("sleep", "#!/bin/sh\n");
    program("java", "#!/bin/sh\ncase \"$*\" in *demo*) echo \"$*\" > \"$TMPDIR/said\" ;; esac\n");
    Path said = folder.resolve("temporary/said");
    run(folder, "mkfifo", said.toString());
    run(project, "./once", "explain");
    assertThat(Files.readString(said)).matches("(?s).* demo --once --port 2\\d{4}\\s*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a:b", "what!", "what!/project"})
  void a_folder_from_which_java_cannot_run_is_refused(String name) throws Exception {
    project = project(name);
    Files.delete(project.resolve("launcher/target/once/once.jar"));
    assertThat(run(project, "./once", "explain"))
        .startsWith("once: " + project + ": Java cannot run from a folder whose name has ':'");
    assertThat(code).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"bench memory nonsense", "bench --nonsense", "example quickstart --port 80"})
  void what_is_not_understood_is_said_before_anything_is_built(String words) throws Exception {
    assertThat(run(project, ("./once " + words).split(" ", -1)))
        .startsWith("once: ")
        .contains("(expected: ");
    assertThat(code).isEqualTo(2);
  }
}
