package dev.once.testing.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** A {@link DatabaseServer} of PostgreSQL, with {@code fsync} and {@code synchronous_commit} on. */
public final class PostgresServer extends DatabaseServer {

  private static final String VARIABLE = "ONCE_TEST_POSTGRESQL_URL";
  private static final String ARCHIVE = "postgres-linux-x86_64.txz";
  private static final ServerUser USER = ServerUser.notRoot();

  private static final SharedServer<PostgresServer> SHARED =
      new SharedServer<>(VARIABLE, url -> new PostgresServer(url, null), PostgresServer::start);

  private PostgresServer(DatabaseUrl url, @Nullable Launch launch) {
    super(url, launch);
  }

  /** The one server of this JVM, or the one that {@code ONCE_TEST_POSTGRESQL_URL} names. */
  public static PostgresServer shared() {
    return SHARED.get();
  }

  public static PostgresServer start() {
    return start(Map.of());
  }

  /** One with settings, as in {@code postgresql.conf}. */
  public static PostgresServer start(Map<String, String> settings) {
    return start(settings, Binaries.newFolder("postgresql"));
  }

  /** One on a host of its own. */
  public static PostgresServer start(NetworkHost host) {
    Path folder = Binaries.newFolder("postgresql");
    Path trust = folder.resolve("hba.conf"); // nobody else gets there
    try {
      Files.writeString(trust, "host all all 0.0.0.0/0 trust\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return start(Map.of("hba_file", trust.toString()), folder, host.place());
  }

  /** One whose data is in a folder, which is deleted in the end. */
  public static PostgresServer start(Map<String, String> settings, Path folder) {
    return start(settings, folder, ServerPlace.HERE);
  }

  /** One with a clock of its own. */
  public static PostgresServer start(ServerClock clock) {
    return start(Map.of(), Binaries.newFolder("postgresql"), clock.place());
  }

  private static PostgresServer start(
      Map<String, String> settings, Path folder, ServerPlace place) {
    Path programs = programs();
    Path data = folder.resolve("data");
    USER.own(folder);
    copy(template(programs), data);
    int port = Ports.free();
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("bin/postgres").toString());
    command.addAll(List.of("-D", data.toString(), "-p", "" + port));
    command.addAll(List.of("-c", "listen_addresses=" + place.bind()));
    command.addAll(List.of("-c", "unix_socket_directories="));
    command.addAll(List.of("-c", "fsync=on", "-c", "synchronous_commit=on"));
    command.addAll(List.of("-c", "max_connections=300"));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    PostgresServer server =
        new PostgresServer(
            DatabaseUrl.of("postgresql://once@" + place.address() + ":" + port + "/postgres"),
            new Launch(place.command(USER.command(command)), folder));
    server.closeAtExit();
    server.begin();
    return server;
  }

  /** Ends it without waiting for anybody, and without a checkpoint. */
  public void stopImmediately() {
    stop("QUIT");
  }

  @Override
  String stopSignal() {
    return "INT";
  }

  private static Path programs() {
    try (JarFile jar = Binaries.jar("PostgreSQL", ARCHIVE, VARIABLE)) {
      String name = Binaries.name("postgresql", jar.getJarEntry(ARCHIVE));
      return Binaries.folder(name, folder -> unpack(jar, folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void unpack(JarFile jar, Path folder) throws IOException {
    Process tar =
        new ProcessBuilder("tar", "-x", "-C", folder.toString())
            .inheritIO()
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .start();
    try (InputStream archive = jar.getInputStream(jar.getEntry(ARCHIVE));
        InputStream plain = new XZInputStream(archive);
        OutputStream input = tar.getOutputStream()) {
      plain.transferTo(input);
    }
    if (Commands.waitFor(tar) != 0) {
      throw new IOException(ARCHIVE + ": tar could not unpack it");
    }
  }

  /** A new server's data: to copy it is ten times as fast as to make it. */
  private static Path template(Path programs) {
    return Binaries.folder(
        programs.getFileName() + "-data-" + USER,
        folder -> {
          USER.own(folder);
          String initdb = programs.resolve("bin/initdb").toString();
          String data = folder.resolve("data").toString();
          run(List.of(initdb, "-D", data, "-U", "once", "-A", "trust", "-E", "UTF8", "--locale=C"));
        });
  }

  private static void copy(Path template, Path data) {
    run(List.of("cp", "-R", template.resolve("data").toString(), data.toString()));
  }

  private static void run(List<String> command) {
    Commands.run(USER.command(command).toArray(new String[0]));
  }
}
