package dev.once.stores.jdbc;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sqlite.SQLiteJDBCLoader;

/**
 * SQLite itself: a library of the system's own kind, which the driver unpacks into the temporary
 * folder and leaves there if the process is killed. It is unpacked into a folder of its own here,
 * which is deleted as soon as the library is loaded: a loaded library needs no name. Where that
 * cannot be (Windows) it is deleted at the end of the process.
 */
final class SqliteLibrary {

  private static final String FOLDER = "org.sqlite.tmpdir";

  private static boolean loaded;

  private SqliteLibrary() {}

  /** Loads it, unless that was done before, by whomever. */
  static synchronized void load() {
    if (loaded) {
      return;
    }
    loaded = true;
    if (System.getProperty(FOLDER) != null || System.getProperty("org.sqlite.lib.path") != null) {
      return; // somebody has decided where it is
    }
    Path own;
    try {
      own = Files.createTempDirectory("once-sqlite"); // for this user only
    } catch (IOException e) {
      return; // the driver says what is wrong with the folder
    }
    own.toFile().deleteOnExit(); // before what is in it, to be deleted after
    System.setProperty(FOLDER, own.toString());
    try {
      SQLiteJDBCLoader.initialize();
    } catch (Exception | LinkageError e) {
      // The first connection fails with the reason.
    } finally {
      System.clearProperty(FOLDER);
      delete(own);
    }
  }

  private static void delete(Path folder) {
    File[] unpacked = folder.toFile().listFiles();
    for (File file : unpacked == null ? new File[0] : unpacked) {
      if (!file.delete()) {
        file.deleteOnExit();
      }
    }
    if (!folder.toFile().delete()) {
      folder.toFile().deleteOnExit();
    }
  }
}
