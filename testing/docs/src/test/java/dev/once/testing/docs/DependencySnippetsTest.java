package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.docs.Page.Block;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Coordinates in the documents are those of artifacts that there are. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DependencySnippetsTest {

  private static final String OURS = "dev.once";
  private static final Path BOM = Page.ROOT.resolve("bom/pom.xml");
  private static final Pattern GRADLE = Pattern.compile("\"([\\w.]+):([\\w.-]+)(?::([\\w.-]+))?\"");

  private record Coordinates(Block block, String group, String artifact, String version) {}

  @Test
  void our_artifacts_are_in_the_bom_and_have_its_version() throws Exception {
    Element bom = parse(Files.readString(BOM));
    String version = revision();
    Set<String> published = new TreeSet<>(List.of("once-bom"));
    dependencies(bom).forEach(one -> published.add(text(one, "artifactId")));
    assertThat(coordinates())
        .filteredOn(one -> one.group().equals(OURS))
        .isNotEmpty()
        .allSatisfy(
            one -> {
              assertThat(published).contains(one.artifact());
              assertThat(one.version()).isIn("", version);
            });
  }

  /** They are poms as users write them, which cannot refer to our root. */
  @Test
  void the_examples_have_the_version_of_the_project() throws Exception {
    List<String> versions = new ArrayList<>();
    for (Path pom : Page.files("pom.xml")) {
      Matcher version =
          Pattern.compile("<once.version>(.*)</once.version>").matcher(Files.readString(pom));
      if (pom.startsWith(Page.ROOT.resolve("examples")) && version.find()) {
        versions.add(version.group(1));
      }
    }
    assertThat(versions).isNotEmpty().containsOnly(revision());
  }

  /** Or else one half of the build asks for the version that the other half does not make. */
  @Test
  void a_release_sets_every_property_that_has_our_version() throws Exception {
    Pattern ours = Pattern.compile("<([\\w.]+)>" + Pattern.quote(revision()) + "</");
    Set<String> properties = new TreeSet<>();
    for (Path pom : Page.files("pom.xml")) {
      ours.matcher(Files.readString(pom)).results().forEach(one -> properties.add(one.group(1)));
    }
    properties.remove("version"); // of an example, which nobody asks for
    assertThat(properties).contains("revision");
    String release = Files.readString(Page.ROOT.resolve("release"));
    assertThat(properties)
        .allSatisfy(one -> assertThat(release).contains("\"-D" + one + "=$version\""));
  }

  private static String revision() throws Exception {
    Element root = parse(Files.readString(Page.ROOT.resolve("pom.xml")));
    return root.getElementsByTagName("revision").item(0).getTextContent();
  }

  @Test
  void what_is_not_ours_is_a_dependency_of_one_of_our_modules() throws Exception {
    StringBuilder poms = new StringBuilder();
    for (Path pom : Page.files("pom.xml")) {
      poms.append(Files.readString(pom).replaceAll("\\s", ""));
    }
    assertThat(coordinates())
        .filteredOn(one -> !one.group().equals(OURS))
        .allSatisfy(
            one ->
                assertThat(poms.toString())
                    .contains(
                        "<groupId>%s</groupId><artifactId>%s</artifactId>"
                            .formatted(one.group(), one.artifact())));
  }

  @Test
  void a_guide_with_java_has_its_coordinates_for_maven_and_for_gradle() {
    Path docs = Page.ROOT.resolve("docs");
    assertThat(Page.all())
        .filteredOn(page -> page.file().getParent().equals(docs))
        .filteredOn(page -> page.blocks().stream().anyMatch(one -> one.language().equals("java")))
        .isNotEmpty()
        .allSatisfy(
            page ->
                assertThat(page.blocks())
                    .as("languages of the blocks of " + page)
                    .extracting(Block::language)
                    .contains("xml", "kotlin"));
  }

  private static List<Coordinates> coordinates() throws Exception {
    List<Coordinates> all = new ArrayList<>();
    for (Block block : Page.blocks("xml").toList()) {
      for (Element one : dependencies(parse("<x>" + block.text() + "</x>"))) {
        all.add(
            new Coordinates(
                block, text(one, "groupId"), text(one, "artifactId"), text(one, "version")));
      }
    }
    for (Block block : Page.blocks("kotlin", "groovy").toList()) {
      Matcher found = GRADLE.matcher(block.text());
      while (found.find()) {
        String version = found.group(3) == null ? "" : found.group(3);
        all.add(new Coordinates(block, found.group(1), found.group(2), version));
      }
    }
    return all;
  }

  private static Element parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }

  private static List<Element> dependencies(Element root) {
    NodeList found = root.getElementsByTagName("dependency");
    List<Element> all = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      all.add((Element) found.item(i));
    }
    return all;
  }

  private static String text(Element element, String name) {
    NodeList found = element.getElementsByTagName(name);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent();
  }
}
