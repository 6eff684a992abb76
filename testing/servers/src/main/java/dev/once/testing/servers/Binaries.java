package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Servers that come in jars, unpacked once for each version into a folder that all builds of this
 * user share. A folder is filled under another name and then moved: of two JVMs that do it at once,
 * one wins and the other takes what is there.
 */
final class Binaries {

  private static final Path CACHE =
      Path.of(
          System.getProperty("java.io.tmpdir"), "once-servers-" + System.getProperty("user.name"));

  private Binaries() {}

  /** What fills a folder. */
  interface Filling {
    void into(Path folder) throws IOException;
  }

  /** The jar on the class path that has this resource; on another platform the test is skipped. */
  static JarFile jar(String server, String resource, String variable) {
    Platform.here().requireLinux(server, variable);
    URL url =
        Objects.requireNonNull(Binaries.class.getClassLoader().getResource(resource), resource);
    try {
      JarURLConnection connection = (JarURLConnection) url.openConnection();
      connection.setUseCaches(false);
      return connection.getJarFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A name for what is in a jar: the jar itself may be a part of another one. */
  static String name(String server, JarEntry entry) {
    return "%s-%08x".formatted(server, entry.getCrc());
  }

  /** A folder in the cache, filled if it is not there yet. */
  static Path folder(String name, Filling filling) {
    Path folder = CACHE.resolve(name);
    if (Files.exists(folder)) {
      return folder;
    }
    try {
      Path filled = newFolder(name);
      filling.into(filled);
      try {
        Files.move(filled, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        if (!Files.exists(folder)) {
          throw e;
        }
        delete(filled);
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file in the cache, which may be there already. */
  static Path file(String name) throws IOException {
    return Files.createDirectories(CACHE).resolve(name);
  }

  /** A new, empty folder, which others may enter: a server may run as another user. */
  static Path newFolder(String name) {
    try {
      Files.createDirectories(CACHE);
      Path folder = Files.createTempDirectory(CACHE, name + "-");
      return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path folder) {
    Commands.run("rm", "-rf", folder.toString());
  }
}
