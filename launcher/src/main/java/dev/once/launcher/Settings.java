package dev.once.launcher;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.w3c.dom.Element;

/**
 * What Maven's settings say about where jars are and where they come from: the user's, then those
 * of the installation. What is not understood is said, so that Maven can be asked.
 */
final class Settings {

  private static final URI CENTRAL = URI.create("https://repo.maven.apache.org/maven2");
  private static final int HIGHEST_PORT = 65_535;
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]*)}");

  private final Machine machine;
  private final Path project;
  private final List<Element> files = new ArrayList<>();

  Settings(Machine machine, Path project) throws IOException {
    this.machine = machine;
    this.project = project;
    Stream<Path> homes =
        Stream.of("MAVEN_HOME", "M2_HOME")
            .map(machine::variable)
            .filter(home -> !home.isEmpty())
            .map(home -> Path.of(home, "conf"));
    for (Path folder : Stream.concat(Stream.of(machine.home().resolve(".m2")), homes).toList()) {
      if (Files.exists(folder.resolve("settings.xml"))) {
        files.add(Xml.read(folder.resolve("settings.xml")));
      }
    }
  }

  /** The user's local repository. */
  Path localRepository() throws CannotException, IOException {
    Optional<String> said = new Flags(machine, project).value("maven.repo.local");
    if (said.isEmpty()) {
      said = files.stream().flatMap(file -> Xml.text(file, "localRepository").stream()).findFirst();
    }
    return said.isPresent()
        ? Path.of(filled(said.get()))
        : machine.home().resolve(".m2/repository");
  }

  /** Where Maven would get the jars of Maven Central. */
  Origin central() throws CannotException, IOException {
    new Flags(machine, project).refuseOtherSettings();
    if (all("profiles", "profile", "repositories", "repository").findAny().isPresent()) {
      throw new CannotException("Maven's settings have repositories in a profile");
    }
    if (all("offline").anyMatch(offline -> offline.getTextContent().strip().equals("true"))) {
      throw new CannotException("Maven's settings say offline");
    }
    Optional<Element> mirror = Mirrors.ofCentral(all("mirrors", "mirror").toList());
    URI url = mirror.isPresent() ? address(value(mirror.get(), "url")) : CENTRAL;
    String id = mirror.flatMap(named -> Xml.text(named, "id")).orElse("central");
    return new Origin(withoutSlash(url), login(id), proxy(url));
  }

  private Optional<Login> login(String id) throws CannotException {
    Optional<Element> server =
        all("servers", "server")
            .filter(entry -> Xml.text(entry, "id").orElse("").equals(id))
            .findFirst();
    if (server.isEmpty()) {
      return Optional.empty();
    }
    if (!Xml.children(server.get(), "configuration").isEmpty()) {
      throw new CannotException("the server '" + id + "' of Maven's settings has a configuration");
    }
    return login(server.get());
  }

  private Optional<Login> login(Element entry) throws CannotException {
    if (Xml.text(entry, "username").isEmpty()) {
      return Optional.empty();
    }
    String password = filled(Xml.text(entry, "password").orElse(""));
    if (password.startsWith("{")) {
      throw new CannotException("Maven's settings have an encrypted password");
    }
    return Optional.of(new Login(value(entry, "username"), password));
  }

  private Optional<Origin.ProxyServer> proxy(URI url) throws CannotException {
    Optional<Element> chosen = Proxies.forUrl(url, all("proxies", "proxy").toList());
    if (chosen.isEmpty()) {
      return Optional.empty();
    }
    int port = port(Xml.text(chosen.get(), "port").orElse("8080"));
    return Optional.of(
        new Origin.ProxyServer(value(chosen.get(), "host"), port, login(chosen.get())));
  }

  private static URI address(String text) throws CannotException {
    try {
      URI url = new URI(text);
      if (List.of("http", "https").contains(url.getScheme()) && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // said below
    }
    throw new CannotException("Maven's settings have a mirror at '" + text + "'");
  }

  private static int port(String text) throws CannotException {
    if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > HIGHEST_PORT) {
      throw new CannotException("Maven's settings have a proxy with the port '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  private Stream<Element> all(String... path) {
    return files.stream().flatMap(file -> Xml.elements(file, path).stream());
  }

  private String value(Element entry, String name) throws CannotException {
    Optional<String> text = Xml.text(entry, name);
    if (text.isEmpty()) {
      throw new CannotException("Maven's settings lack " + name + " in " + entry.getTagName());
    }
    return filled(text.get());
  }

  private String filled(String text) throws CannotException {
    Matcher matcher = VARIABLE.matcher(text);
    StringBuilder filled = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      String value =
          name.equals("user.home")
              ? machine.home().toString()
              : name.startsWith("env.") ? machine.variable(name.substring(4)) : "";
      if (value.isEmpty()) {
        throw new CannotException("Maven's settings have ${" + name + "}");
      }
      matcher.appendReplacement(filled, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(filled).toString();
  }

  private static URI withoutSlash(URI url) {
    return URI.create(url.toString().replaceAll("/+$", ""));
  }
}
