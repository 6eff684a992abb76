package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The folder with the jars that the command line runs with. A file has its name only when it is
 * whole and its checksum is right. What is fetched is put into the user's local repository too,
 * where Maven and other clones find it.
 */
final class Library {

  private static final int AT_A_TIME = 8;

  private final Path folder;
  private final Progress progress;
  private final AtomicBoolean isRefused = new AtomicBoolean();

  Library(Path folder, Progress progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /** Takes the jars that another folder has. Returns those that are still missing. */
  List<Jar> takeFrom(Path repository, List<Jar> jars, boolean flat) throws IOException {
    Files.createDirectories(folder);
    List<Jar> missing = new ArrayList<>();
    for (Jar jar : jars) {
      Path file = repository.resolve(flat ? jar.fileName() : jar.path());
      if (jar.isIn(file)) {
        Files.copy(file, part(jar), StandardCopyOption.REPLACE_EXISTING);
        publish(jar);
      } else {
        missing.add(jar);
      }
    }
    return missing;
  }

  /** Those that are not there yet. */
  List<Jar> missing(List<Jar> jars) throws IOException {
    List<Jar> missing = new ArrayList<>();
    for (Jar jar : jars) {
      Path file = folder.resolve(jar.fileName());
      if (!Files.exists(file) || Files.size(file) != jar.bytes()) {
        missing.add(jar);
      }
    }
    return missing;
  }

  /** Fetches jars side by side, and keeps each in the local repository too. */
  void fetch(List<Jar> jars, Origin origin, Path repository)
      throws IOException, CannotException, RefusedException, InterruptedException {
    progress.start(
        "fetching %d files from %s".formatted(jars.size(), origin.url().getHost()),
        jars.stream().mapToLong(Jar::bytes).sum());
    Download download = new Download(origin, progress);
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try {
      ExecutorCompletionService<Jar> downloads = new ExecutorCompletionService<>(threads);
      for (Jar jar : jars) {
        downloads.submit(
            () -> {
              download.to(part(jar), jar);
              publish(jar);
              keep(jar, repository);
              return jar;
            });
      }
      for (int i = 0; i < jars.size(); i++) {
        downloads.take().get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RefusedException refused) {
        throw refused;
      }
      throw new CannotException(
          e.getCause() instanceof CannotException cannot
              ? cannot.why()
              : String.valueOf(e.getCause()));
    } finally {
      threads.shutdownNow();
      progress.end();
    }
  }

  /** As it can: the local repository may be read only. */
  private void keep(Jar jar, Path repository) {
    Path target = repository.resolve(jar.path());
    try {
      if (!Files.exists(target)) {
        Files.createDirectories(target.getParent());
        // Not a temporary file: that could be read by this user alone.
        long process = ProcessHandle.current().pid();
        Path part = target.resolveSibling(jar.fileName() + "." + process + ".part");
        try {
          Files.write(part, Files.readAllBytes(folder.resolve(jar.fileName())));
          Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(part);
        }
      }
    } catch (IOException e) {
      if (!isRefused.getAndSet(true)) { // by one word, not one for each jar
        progress.say("not kept in the local repository: " + e);
      }
    }
  }

  private Path part(Jar jar) {
    return folder.resolve(jar.fileName() + ".part");
  }

  private void publish(Jar jar) throws IOException {
    Files.move(part(jar), folder.resolve(jar.fileName()), StandardCopyOption.ATOMIC_MOVE);
  }
}
