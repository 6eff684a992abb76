package dev.once.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Scratch folders on the disk that the benchmarks run from: a temporary one may be in memory. */
final class Folders {

  private Folders() {}

  static Path create() throws IOException {
    return Files.createTempDirectory(Path.of("").toAbsolutePath(), "benchmark-");
  }

  static void delete(Path folder) throws IOException {
    List<Path> inside;
    try (Stream<Path> walk = Files.walk(folder)) {
      inside = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : inside) {
      Files.delete(path);
    }
  }

  static long bytes(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
