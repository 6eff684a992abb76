package dev.once.launcher;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes the command line from its sources, for {@code ./once}: fetches the jars of the lock file,
 * and compiles. One process of a clone does that at a time.
 */
final class Launcher {

  private final Path project;
  private final Machine machine;
  private final Progress progress;
  private final Path target;

  Launcher(Path project, Machine machine, Progress progress) {
    this.project = project;
    this.machine = machine;
    this.progress = progress;
    this.target = project.resolve("launcher/target/once");
  }

  /** What {@code ./once} runs. Its time is when its making began. */
  Path jar() {
    return target.resolve("once.jar");
  }

  /**
   * Makes it, unless it is up to date.
   *
   * @throws CannotException if it must be built by Maven
   * @throws RefusedException if it cannot be built
   */
  void make() throws IOException, InterruptedException, CannotException, RefusedException {
    Files.createDirectories(target);
    try (FileChannel channel =
            FileChannel.open(
                target.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock alone = alone(channel)) {
      if (alone.isValid() && !isUpToDate()) {
        makeAlone();
      }
    }
  }

  private FileLock alone(FileChannel channel) throws IOException {
    FileLock lock = channel.tryLock();
    if (lock != null) {
      return lock;
    }
    progress.say("waiting for another ./once, which builds ...");
    return channel.lock();
  }

  private void makeAlone()
      throws IOException, InterruptedException, CannotException, RefusedException {
    FileTime began = FileTime.from(Instant.now());
    LockFile lock = LockFile.read(LockFile.in(project));
    Optional<String> difference = Poms.difference(project, lock);
    if (difference.isPresent()) {
      throw new CannotException("launcher/jars.lock is out of date: " + difference.get());
    }
    Path lib = target.resolve("lib");
    bring(lock.jars(), new Library(lib, progress));
    progress.say("compiling " + lock.modules().size() + " modules ...");
    Path made = target.resolve("once.jar.part");
    new Compilation(project, lock, lib).to(made);
    Files.setLastModifiedTime(made, began);
    Files.move(made, jar(), StandardCopyOption.ATOMIC_MOVE);
  }

  private void bring(List<Jar> jars, Library library)
      throws IOException, InterruptedException, RefusedException {
    List<Jar> missing = library.missing(jars);
    if (missing.isEmpty()) {
      return;
    }
    try {
      Settings settings = new Settings(machine, project);
      Path repository = settings.localRepository();
      missing = library.takeFrom(repository, missing, false);
      if (!missing.isEmpty()) {
        library.fetch(missing, settings.central(), repository);
      }
    } catch (CannotException | IOException e) {
      String why = e instanceof CannotException cannot ? cannot.why() : e.toString();
      progress.say(why + "; Maven fetches the jars instead ...");
      List<Jar> wrong =
          library.takeFrom(new MavenFetch(project).fetch(missing), library.missing(jars), true);
      if (!wrong.isEmpty()) {
        throw new RefusedException(
            wrong.get(0).name() + " of Maven is another than in launcher/jars.lock; not used");
      }
    }
  }

  /** As {@code ./once} sees it: nothing that the jar is made from is newer, folders included. */
  private boolean isUpToDate() throws IOException {
    if (!Files.exists(jar())) {
      return false;
    }
    List<Path> from = new ArrayList<>(List.of(project.resolve("pom.xml"), LockFile.in(project)));
    for (String module : LockFile.read(LockFile.in(project)).modules()) {
      from.add(project.resolve(module).resolve("pom.xml"));
      from.add(project.resolve(module).resolve("src/main"));
    }
    Path itself = project.resolve("launcher/src/main");
    if (Files.exists(itself)) {
      from.add(itself);
    }
    FileTime made = Files.getLastModifiedTime(jar());
    for (Path path : from) {
      try (Stream<Path> below = Files.walk(path)) {
        for (Path file : below.toList()) {
          if (Files.getLastModifiedTime(file).compareTo(made) > 0) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
