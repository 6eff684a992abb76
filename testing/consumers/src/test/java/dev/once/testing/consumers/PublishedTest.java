package dev.once.testing.consumers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is published says by itself all that a user, a build tool or Maven Central asks. */
class PublishedTest {

  /** Means the pom that it stands in, wherever that is read. */
  private static final String OWN_VERSION = "${project.version}";

  static List<Published> all() {
    return Published.all();
  }

  static Stream<Published> jars() {
    return Published.all().stream().filter(module -> !module.isBom());
  }

  @Test
  void the_bom_names_what_is_published_and_nothing_else() {
    Xml bom = Xml.read(Path.of("../../bom/.flattened-pom.xml"));
    assertThat(bom.texts("/project/dependencyManagement/dependencies/dependency/artifactId"))
        .containsExactlyInAnyOrderElementsOf(jars().map(Published::artifact).toList());
    assertThat(bom.texts("/project/dependencyManagement/dependencies/dependency/version"))
        .containsOnly(OWN_VERSION);
    assertThat(bom.text("/project/version")).isEqualTo(Build.VERSION);
  }

  @Test
  void a_project_here_uses_each_library() throws IOException {
    StringBuilder used = new StringBuilder();
    for (Path pom : Build.files(Path.of("projects"), "pom.xml")) {
      used.append(Files.readString(pom));
    }
    assertThat(jars()).allMatch(jar -> used.indexOf("<artifactId>" + jar.artifact() + "<") > 0);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void a_jar_has_a_module_name_that_stays(Published published) {
    ModuleReference module = ModuleFinder.of(published.jar()).findAll().iterator().next();
    assertThat(module.descriptor().name()).startsWith("dev.once.");
    if (module.descriptor().isAutomatic()) { // its name is in the manifest
      assertThat(module.descriptor().name()).isIn("dev.once.http.gateway", "dev.once.spring");
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void a_pom_stands_alone(Published published) {
    Xml pom = Xml.read(published.pom());
    assertThat(pom.texts("/project/parent")).isEmpty();
    assertThat(pom.texts("/project/build | /project/profiles | /project/repositories")).isEmpty();
    assertThat(pom.texts("//version"))
        .noneMatch(version -> version.contains("$") && !version.equals(OWN_VERSION));
    assertThat(pom.texts("//dependency[scope='test']")).isEmpty();
    if (!published.isBom()) {
      assertThat(pom.texts("/project/dependencyManagement")).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void a_pom_has_what_maven_central_asks(Published published) {
    Xml pom = Xml.read(published.pom());
    for (String required :
        List.of(
            "groupId",
            "artifactId",
            "version",
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      assertThat(pom.text("/project/" + required)).as(required).isNotBlank();
    }
    // The addresses are those of the whole, not of folders that the plugin makes up.
    assertThat(pom.text("/project/scm/url")).isEqualTo(pom.text("/project/url"));
    assertThat(pom.text("/project/scm/connection"))
        .isEqualTo("scm:git:" + pom.text("/project/url") + ".git");
  }
}
