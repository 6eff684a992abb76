package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.launcher.Jar;
import dev.once.launcher.LockFile;
import dev.once.launcher.Poms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code launcher/jars.lock} is what Maven resolves for the command line. */
class LockFileTest {

  private static final Path PROJECT = Path.of("..");
  private static final String REWRITE =
      "./mvnw -pl cli -am test -Dtest=LockFileTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Donce.lock=write";
  private static final String COMMENT = "What ./once fetches and compiles. Written by: " + REWRITE;
  private static final Pattern RESOLVED =
      Pattern.compile(
          " +([^:\\s]+):([^:]+):jar:(?:([^:]+):)?([^:]+):(\\w+):(\\S+\\.jar|\\S+classes).*");
  private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
  private static final Pattern ARTIFACT =
      Pattern.compile(
          "(?:</parent>|</modelVersion>\\s*<groupId>dev.once</groupId>)"
              + "\\s*<artifactId>(.*)</artifactId>");
  private static final List<String> WITH_CLI = List.of("once-cli", "once-example-quickstart");

  @BeforeAll
  static void writeItIfAsked() throws IOException {
    if ("write".equals(System.getProperty("once.lock"))) {
      Files.writeString(LockFile.in(PROJECT), resolved().text(COMMENT));
    }
  }

  @Test
  void the_jars_of_the_command_line_are_those_that_maven_resolves() throws IOException {
    assertThat(Files.readAllLines(LockFile.in(PROJECT)))
        .as("to write it anew: " + REWRITE)
        .containsExactlyElementsOf(resolved().text(COMMENT).lines().toList());
  }

  @Test
  void the_poms_fit_it() throws IOException {
    assertThat(Poms.difference(PROJECT, LockFile.read(LockFile.in(PROJECT)))).isEmpty();
  }

  private static LockFile resolved() throws IOException {
    List<MatchResult> lines;
    try (Stream<String> text = Files.lines(Path.of("target/dependencies.txt"))) {
      lines =
          text.map(RESOLVED::matcher)
              .filter(matcher -> matcher.matches() && !matcher.group(5).equals("test"))
              .map(matcher -> matcher.toMatchResult())
              .toList();
    }
    List<String> ours =
        Stream.concat(
                WITH_CLI.stream(),
                lines.stream().filter(LockFileTest::isOurs).map(line -> line.group(2)))
            .toList();
    List<Jar> jars =
        lines.stream()
            .filter(line -> !isOurs(line))
            .map(LockFileTest::jar)
            .sorted(
                Comparator.comparing(Jar::group)
                    .thenComparing(Jar::artifact)
                    .thenComparing(Jar::classifier))
            .toList();
    List<String> modules =
        MODULE
            .matcher(Files.readString(PROJECT.resolve("pom.xml")))
            .results()
            .map(found -> found.group(1))
            .filter(module -> ours.contains(artifact(module)))
            .toList();
    return new LockFile(modules, jars);
  }

  private static boolean isOurs(MatchResult line) {
    return line.group(1).equals("dev.once");
  }

  private static Jar jar(MatchResult line) {
    try {
      Path file = Path.of(line.group(6));
      String classifier = line.group(3) == null ? "" : line.group(3);
      String sha256 = HexFormat.of().formatHex(Jar.digest(file));
      return new Jar(
          line.group(1), line.group(2), line.group(4), classifier, sha256, Files.size(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String artifact(String module) {
    try {
      return ARTIFACT
          .matcher(Files.readString(PROJECT.resolve(module).resolve("pom.xml")))
          .results()
          .map(found -> found.group(1))
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
