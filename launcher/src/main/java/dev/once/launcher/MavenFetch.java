package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Lets Maven fetch the jars, and nothing else, where its settings are more than we understand. */
final class MavenFetch {

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>dev.once</groupId>
        <artifactId>once-jars</artifactId>
        <version>1</version>
        <packaging>pom</packaging>
        <dependencies>
      %s
        </dependencies>
      </project>
      """;

  private static final String DEPENDENCY =
      "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s"
          + "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
          + "</exclusions></dependency>";

  private final Path project;

  MavenFetch(Path project) {
    this.project = project;
  }

  /** The folder with the jars, as Maven has them. */
  Path fetch(List<Jar> jars) throws IOException, InterruptedException, RefusedException {
    Path folder = Files.createDirectories(project.resolve("launcher/target/maven"));
    String dependencies = jars.stream().map(MavenFetch::text).collect(Collectors.joining("\n"));
    Path pom = Files.writeString(folder.resolve("pom.xml"), POM.formatted(dependencies));
    Path lib = folder.resolve("lib");
    String goal =
        "org.apache.maven.plugins:maven-dependency-plugin:%s:copy-dependencies"
            .formatted(Poms.property(project, "maven-dependency-plugin.version"));
    int code =
        new ProcessBuilder(
                project.resolve("mvnw").toString(),
                "-q",
                "-B",
                "-ntp",
                "-f",
                pom.toString(),
                goal,
                "-DoutputDirectory=" + lib)
            .directory(project.toFile())
            .inheritIO()
            .start()
            .waitFor();
    if (code != 0) {
      throw new RefusedException("Maven cannot fetch the jars either; see above");
    }
    return lib;
  }

  private static String text(Jar jar) {
    String classifier =
        jar.classifier().isEmpty() ? "" : "<classifier>" + jar.classifier() + "</classifier>";
    return DEPENDENCY.formatted(jar.group(), jar.artifact(), jar.version(), classifier);
  }
}
