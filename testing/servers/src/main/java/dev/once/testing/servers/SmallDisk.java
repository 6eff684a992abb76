package dev.once.testing.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system of a few megabytes that can be filled to the last byte: a real one, in memory. To
 * mount it takes root; without, the test is skipped.
 */
public final class SmallDisk implements AutoCloseable {

  private static final int PAGE = 4096;

  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  public static SmallDisk ofMegabytes(int size) {
    Path folder = Binaries.newFolder("disk");
    if (!Commands.works(
        "mount", "-t", "tmpfs", "-o", "size=" + size + "m", "once", folder.toString())) {
      Binaries.delete(folder);
      return Assumptions.abort("a small disk: cannot be mounted (expected: run as root)");
    }
    SmallDisk disk = new SmallDisk(folder);
    Runtime.getRuntime().addShutdownHook(new Thread(disk::close, "unmount " + folder));
    return disk;
  }

  /** A new folder on it. */
  public Path newFolder(String name) {
    try {
      return Files.createDirectory(folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Leaves no room for anything. Whoever uses it may make some meanwhile: that is taken too. */
  public void fill() {
    Poll.until("a full disk", () -> takeAll() <= PAGE);
  }

  /** What is free after there was no more. */
  private long takeAll() {
    byte[] page = new byte[PAGE];
    try (OutputStream ballast =
        Files.newOutputStream(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (true) {
        ballast.write(page);
      }
    } catch (IOException e) {
      return freeBytes();
    }
  }

  public void makeRoom() {
    try {
      Files.deleteIfExists(ballast());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long freeBytes() {
    try {
      return Files.getFileStore(folder).getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path ballast() {
    return folder.resolve("ballast");
  }

  /** Ends it with all that is on it; what uses it must have ended. */
  @Override
  public synchronized void close() {
    if (Files.exists(folder)) {
      Commands.works("umount", folder.toString());
      Commands.works("rmdir", folder.toString());
    }
  }
}
