package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.w3c.dom.Element;

/**
 * Whether the lock file fits the poms, as far as one can see without Maven: what the modules
 * declare is in it, in the version that the parent pom says.
 */
public final class Poms {

  private final Path project;
  private final LockFile lock;
  private final Map<String, String> properties = new HashMap<>();
  private final Map<String, String> managed = new HashMap<>();
  private final Map<String, String> boms = new HashMap<>();

  private Poms(Path project, LockFile lock) throws IOException {
    this.project = project;
    this.lock = lock;
    Element parent = Xml.read(project.resolve("pom.xml"));
    Xml.elements(parent, "properties", "*")
        .forEach(entry -> properties.put(entry.getTagName(), entry.getTextContent().strip()));
    for (Element entry :
        Xml.elements(parent, "dependencyManagement", "dependencies", "dependency")) {
      if (Xml.text(entry, "scope").orElse("").equals("import")) {
        boms.put(Xml.text(entry, "groupId").orElse(""), version(entry));
      } else {
        managed.put(name(entry), version(entry));
      }
    }
  }

  /** The first difference, in words. */
  public static Optional<String> difference(Path project, LockFile lock) throws IOException {
    Poms poms = new Poms(project, lock);
    Optional<String> version = poms.wrongVersion();
    return version.isPresent() ? version : poms.missing();
  }

  /** The version of a property of the parent pom. */
  static String property(Path project, String name) throws IOException {
    return Xml.elements(Xml.read(project.resolve("pom.xml")), "properties", name)
        .get(0)
        .getTextContent();
  }

  private Optional<String> wrongVersion() {
    for (Jar jar : lock.jars()) {
      String bom = boms.getOrDefault(jar.group(), jar.version());
      String wanted = managed.getOrDefault(jar.module(), bom);
      if (!wanted.equals(jar.version())) {
        return Optional.of(jar.module() + " is " + wanted + " in pom.xml");
      }
    }
    return Optional.empty();
  }

  private Optional<String> missing() throws IOException {
    Set<String> known = new HashSet<>();
    lock.jars().forEach(jar -> known.add(jar.module()));
    for (String module : lock.modules()) {
      known.add("dev.once:" + Xml.text(pom(module), "artifactId").orElse(""));
    }
    for (String module : lock.modules()) {
      for (Element entry : Xml.elements(pom(module), "dependencies", "dependency")) {
        if (isNeeded(entry) && !known.contains(name(entry))) {
          return Optional.of(name(entry) + " of " + module + "/pom.xml is not in it");
        }
      }
    }
    return Optional.empty();
  }

  private Element pom(String module) throws IOException {
    return Xml.read(project.resolve(module).resolve("pom.xml"));
  }

  /** Not if it is for tests, or for those who choose it at run time. */
  private static boolean isNeeded(Element entry) {
    String scope = Xml.text(entry, "scope").orElse("compile");
    boolean optional = Xml.text(entry, "optional").orElse("").equals("true");
    return !scope.equals("test") && !(scope.equals("runtime") && optional);
  }

  private static String name(Element entry) {
    return Xml.text(entry, "groupId").orElse("") + ":" + Xml.text(entry, "artifactId").orElse("");
  }

  private String version(Element entry) {
    String text = Xml.text(entry, "version").orElse("");
    return text.startsWith("${")
        ? properties.getOrDefault(text.substring(2, text.length() - 1), text)
        : text;
  }
}
