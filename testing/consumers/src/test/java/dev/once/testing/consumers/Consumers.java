package dev.once.testing.consumers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies the projects, one of Spring Boot for each of its generations, and lets one run of Maven
 * resolve what each gets from the published poms. What is installed for that is in {@code target}
 * and not in the local repository, which is only read.
 */
final class Consumers {

  private static final String BOOT = "spring-boot";

  private Consumers() {}

  static List<Consumer> resolved() throws Exception {
    Path repository = Build.TARGET.resolve("repository");
    Published.all().forEach(module -> module.installIn(repository));
    List<Consumer> consumers = copied();
    resolve(consumers, repository);
    return consumers;
  }

  private static List<Consumer> copied() throws IOException {
    List<Consumer> consumers = new ArrayList<>();
    try (Stream<Path> projects = Files.list(Path.of("projects").toAbsolutePath())) {
      for (Path project : projects.sorted().toList()) {
        String name = project.getFileName().toString();
        if (name.equals(BOOT)) {
          consumers.add(copy(project, BOOT + "-3", Build.setting("spring-boot3.version")));
          consumers.add(copy(project, BOOT + "-4", Build.setting("spring-boot4.version")));
        } else {
          consumers.add(copy(project, name, ""));
        }
      }
    }
    return consumers;
  }

  private static Consumer copy(Path project, String name, String boot) throws IOException {
    Path to = Build.TARGET.resolve("projects").resolve(name);
    for (Path file : Build.files(project, "")) {
      Path copy = to.resolve(project.relativize(file));
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    }
    Path pom = to.resolve("pom.xml");
    Files.writeString(
        pom,
        Files.readString(pom)
            .replace("<artifactId>consumer-" + BOOT, "<artifactId>consumer-" + name)
            .replace("${spring-boot.version}", boot));
    return new Consumer(name, to);
  }

  private static void resolve(List<Consumer> consumers, Path repository) throws Exception {
    String modules =
        consumers.stream()
            .map(consumer -> "    <module>projects/%s</module>%n".formatted(consumer.name()))
            .collect(Collectors.joining());
    Files.writeString(
        Build.TARGET.resolve("pom.xml"),
        """
        <project>
          <modelVersion>4.0.0</modelVersion>
          <groupId>consumer</groupId>
          <artifactId>consumers</artifactId>
          <version>1</version>
          <packaging>pom</packaging>
          <modules>
        %s  </modules>
        </project>
        """
            .formatted(modules));
    List<String> command = new ArrayList<>();
    command.add(Path.of(Build.setting("maven.home"), "bin", "mvn").toString());
    command.addAll(List.of("-q", "-B", "-ntp"));
    command.add("-Dmaven.repo.local=" + repository);
    command.add("-Dmaven.repo.local.tail=" + Build.setting("settings.localRepository"));
    for (String name : List.of("once", "postgresql", "mariadb", "jackson2", "jackson3", "junit")) {
      command.add("-D%s.version=%s".formatted(name, Build.setting(name + ".version")));
    }
    command.add("-Dmdep.outputFile=" + Consumer.CLASS_PATH_FILE);
    command.add("-DincludeScope=runtime");
    command.add(
        "org.apache.maven.plugins:maven-dependency-plugin:%s:build-classpath"
            .formatted(Build.setting("maven-dependency-plugin.version")));
    Processes.run(Build.TARGET, Path.of(System.getProperty("java.home")), command);
  }
}
