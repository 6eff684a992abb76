package dev.once.stores.jdbc;

import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may read a SQLite file, its log and its index: its owner. Keys and answers are in them, in
 * clear.
 */
final class SqliteFiles {

  private static final Logger log = LoggerFactory.getLogger(JdbcStore.class);

  private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(OWNER_READ, OWNER_WRITE);

  private SqliteFiles() {}

  /**
   * Makes the file before SQLite does, which would let everybody read it. The other two get its
   * permissions by SQLite. Where a file system has no such permissions, SQLite makes it.
   */
  static void create(Path file) {
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (IOException | UnsupportedOperationException e) {
      // It is there; or what is wrong with the place is told when SQLite opens it.
    }
  }

  /** Takes it from others, where it was made before. */
  static void closeToOthers(Path file) {
    for (String suffix : List.of("", "-wal", "-shm")) {
      tighten(Path.of(file + suffix));
    }
  }

  private static void tighten(Path file) {
    try {
      Set<PosixFilePermission> before = Files.getPosixFilePermissions(file);
      if (OWNER_ONLY.containsAll(before)) {
        return;
      }
      String text = PosixFilePermissions.toString(before);
      try {
        Files.setPosixFilePermissions(file, OWNER_ONLY);
        log.warn("{}: permissions were {}, now its owner's only: keys are in it", file, text);
      } catch (IOException e) {
        log.warn(
            "{}: permissions {} (expected: rw-------); others can read keys and answers, and it is"
                + " another user's file: have its owner run chmod 600",
            file,
            text);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // Not there, or no such permissions.
    }
  }
}
