package dev.once.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {

  private static final String HELLO_TWICE = "hello!\nhello!\n";
  private static final int BY_MAVEN = 3;

  @TempDir private Path folder;
  private SmallClone clone;
  private Repository repository;

  @BeforeEach
  void serve() throws IOException {
    clone = new SmallClone(folder);
    repository = new Repository();
    repository.put(SmallClone.LIBRARY, clone.library);
    clone.settings(mirror());
  }

  @AfterEach
  void stop() {
    repository.close();
  }

  private String mirror() {
    return "<mirrors><mirror><id>ours</id><mirrorOf>central</mirrorOf><url>"
        + repository.url()
        + "/</url></mirror></mirrors>";
  }

  private Path local() {
    return clone.home.resolve(".m2/repository").resolve(SmallClone.LIBRARY);
  }

  @Test
  void what_is_missing_is_fetched_from_the_mirror_and_kept_where_maven_finds_it() throws Exception {
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
    assertThat(repository.requests()).containsExactly("/maven/" + SmallClone.LIBRARY);
    assertThat(local()).hasBinaryContent(clone.library);
  }

  @Test
  void service_files_of_two_modules_are_one_and_other_resources_are_as_they_were()
      throws Exception {
    clone.make();
    try (var jar = new java.util.jar.JarFile(clone.made().toFile())) {
      assertThat(jar.getEntry("left/words.txt")).isNotNull();
      assertThat(jar.getEntry("right/words.txt")).isNotNull();
      assertThat(jar.getInputStream(jar.getEntry("META-INF/services/java.lang.Runnable")))
          .hasContent("left.Hello\nright.Hello\n");
    }
  }

  @Test
  void a_jar_of_the_local_repository_is_not_fetched() throws Exception {
    Files.createDirectories(local().getParent());
    Files.write(local(), clone.library);
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
    assertThat(repository.requests()).isEmpty();
  }

  @Test
  void a_jar_of_the_local_repository_that_is_another_is_not_used() throws Exception {
    Files.createDirectories(local().getParent());
    Files.writeString(local(), "another");
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
    assertThat(local()).hasContent("another");
  }

  @Test
  void what_is_kept_for_maven_may_be_read_by_whom_the_other_files_may_be_read() throws Exception {
    clone.make();
    Path other = Files.createFile(folder.resolve("other"));
    assertThat(Files.getPosixFilePermissions(local()))
        .isEqualTo(Files.getPosixFilePermissions(other));
  }

  @Test
  void a_local_repository_that_takes_nothing_is_named_once() throws Exception {
    String sha256 = LockFile.read(LockFile.in(clone.project)).jars().get(0).sha256();
    clone.lock(List.of(clone.jar("greeting", sha256), clone.jar("parting", sha256)));
    repository.put(SmallClone.LIBRARY.replace("greeting", "parting"), clone.library);
    clone.environment.put(
        "MAVEN_OPTS", "-Dmaven.repo.local=" + Files.createFile(folder.resolve("file")));
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.output()).containsOnlyOnce("not kept in the local repository");
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
  }

  @Test
  void the_local_repository_is_where_maven_has_it() throws Exception {
    clone.environment.put("MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=" + folder.resolve("jars"));
    clone.make();
    assertThat(folder.resolve("jars").resolve(SmallClone.LIBRARY)).exists();
    assertThat(local()).doesNotExist();
  }

  @Test
  void a_second_run_fetches_and_compiles_nothing() throws Exception {
    clone.make();
    Object first = Files.readAttributes(clone.made(), "unix:ino,ctime");
    String said = clone.output();
    assertThat(clone.make()).isZero();
    assertThat((Object) Files.readAttributes(clone.made(), "unix:ino,ctime")).isEqualTo(first);
    assertThat(clone.output()).isEqualTo(said);
    assertThat(repository.requests()).hasSize(1);
  }

  @Test
  void a_source_that_was_changed_is_compiled_and_nothing_is_fetched() throws Exception {
    clone.make();
    clone.source("right", "goodbye");
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.run()).isEqualTo("hello!\ngoodbye!\n");
    assertThat(repository.requests()).hasSize(1);
  }

  @Test
  void a_launcher_that_was_changed_makes_it_anew_and_so_it_is_newer() throws Exception {
    clone.make();
    clone.write("launcher/src/main/java/Launcher.java", "changed");
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(Files.getLastModifiedTime(clone.made()))
        .as("or ./once would begin again at each start")
        .isGreaterThan(
            Files.getLastModifiedTime(
                clone.project.resolve("launcher/src/main/java/Launcher.java")));
  }

  @Test
  void a_resource_that_was_deleted_is_gone() throws Exception {
    clone.make();
    Files.delete(clone.project.resolve("left/src/main/resources/left/words.txt"));
    assertThat(clone.make()).as(clone.output()).isZero();
    try (var jar = new java.util.jar.JarFile(clone.made().toFile())) {
      assertThat(jar.getEntry("left/words.txt")).isNull();
    }
  }

  @Test
  void a_change_while_it_was_compiled_counts_as_newer() throws Exception {
    FileTime before = FileTime.from(java.time.Instant.now());
    clone.make();
    assertThat(Files.getLastModifiedTime(clone.made())).isGreaterThanOrEqualTo(before);
    FileTime library = Files.getLastModifiedTime(clone.project.resolve("launcher/target/once/lib"));
    assertThat(Files.getLastModifiedTime(clone.made()))
        .as("when it began, and so before the jars were there")
        .isLessThan(library);
  }

  @Test
  void sources_that_do_not_compile_leave_nothing_that_counts_as_made() throws Exception {
    clone.source("right", "\" + nonsense + \"");
    assertThat(clone.make()).isEqualTo(1);
    assertThat(clone.made()).doesNotExist();
    assertThat(clone.output()).contains("the sources do not compile");
  }

  @Test
  void what_an_interrupted_run_left_behind_is_made_anew() throws Exception {
    Path once = Files.createDirectories(clone.project.resolve("launcher/target/once/lib"));
    Files.writeString(once.resolve("greeting-1.0.jar.part"), "half");
    Files.writeString(once.resolveSibling("once.jar.part"), "half");
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
  }

  @Test
  void a_wrong_checksum_is_refused_and_maven_is_not_asked() throws Exception {
    clone.lock("0".repeat(64));
    assertThat(clone.make()).isEqualTo(1);
    assertThat(clone.output())
        .contains(SmallClone.LIBRARY + ": SHA-256 ")
        .contains("(expected: 000")
        .doesNotContain("Maven");
    assertThat(clone.made()).doesNotExist();
    assertThat(local()).doesNotExist();
  }

  @Test
  void a_download_that_breaks_is_tried_again() throws Exception {
    repository.breakNext(2);
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(repository.requests()).hasSize(3);
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
  }

  @Test
  void when_it_breaks_again_and_again_maven_fetches_the_jars() throws Exception {
    repository.breakNext(100);
    mavenThatCopies("greeting-1.0.jar");
    assertThat(clone.make()).as(clone.output()).isZero();
    assertThat(clone.output()).contains("Maven fetches the jars instead");
    assertThat(clone.run()).isEqualTo(HELLO_TWICE);
  }

  @Test
  void what_maven_fetches_is_checked_too() throws Exception {
    repository.breakNext(100);
    mavenThatCopies("nothing.jar");
    assertThat(clone.make()).isEqualTo(1);
    assertThat(clone.output()).contains("org.example:greeting:1.0 of Maven is another");
  }

  @Test
  void a_lock_file_that_does_not_fit_the_poms_leaves_the_build_to_maven() throws Exception {
    String pom = Files.readString(clone.project.resolve("pom.xml"));
    clone.write("pom.xml", pom.replace("<greeting.version>1.0", "<greeting.version>1.1"));
    assertThat(clone.make()).isEqualTo(BY_MAVEN);
    assertThat(clone.output())
        .contains("jars.lock is out of date: org.example:greeting is 1.1 in pom.xml")
        .contains("Maven builds it instead");
    assertThat(clone.made()).doesNotExist();
  }

  @Test
  void a_line_of_the_lock_file_that_is_no_jar_is_named() throws Exception {
    clone.write("launcher/jars.lock", "jar org.example:greeting:1.0 abc many\n");
    assertThat(clone.make()).isEqualTo(1);
    assertThat(clone.output())
        .contains("jars.lock: 'org.example:greeting:1.0 abc many' (expected: group:artifact");
  }

  @Test
  void the_second_of_two_waits_and_uses_what_the_first_made() throws Exception {
    clone.make();
    Path lock = clone.project.resolve("launcher/target/once/lock");
    clone.source("left", "later");
    CompletableFuture<String> said = new CompletableFuture<>();
    Process second;
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
        FileLock first = channel.lock()) {
      assertThat(first.isValid()).isTrue();
      second = launcher();
      said.complete(second.inputReader().readLine());
      Files.setLastModifiedTime(
          clone.made(), FileTime.from(java.time.Instant.now().plusSeconds(60)));
    }
    assertThat(said.join()).contains("waiting for another ./once");
    assertThat(second.waitFor()).isZero();
    assertThat(second.inputReader().readLine()).as("it compiled nothing").isNull();
  }

  private Process launcher() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Duser.home=" + clone.home,
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            clone.project.toString())
        .redirectErrorStream(true)
        .start();
  }

  /** A program in Maven's place, which puts the library where it is told to. */
  private void mavenThatCopies(String name) throws IOException {
    Files.write(clone.project.resolve("library"), clone.library);
    clone.write(
        "mvnw",
        """
        #!/bin/sh
        for word; do case "$word" in -DoutputDirectory=*) lib=${word#*=} ;; esac; done
        mkdir -p "$lib" && cp library "$lib/%s"
        """
            .formatted(name));
    assertThat(clone.project.resolve("mvnw").toFile().setExecutable(true)).isTrue();
  }
}
