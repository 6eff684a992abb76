package dev.once.http.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file again when it has changed, with the same flags and environment.
 *
 * <p>It looks at the file's time and size now and then, since that works on every file system and
 * for files that are replaced. A change is read when two looks saw the same: an editor may be half
 * way through. What is wrong is logged, and what was in force stays so.
 */
public final class ReloadingFile implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReloadingFile.class);

  /** What a look sees; a file that is not there has neither. */
  private record FileState(@Nullable FileTime changed, long size) {}

  private final Sources sources;
  private final Path file;
  private final Configuration running;
  private final Consumer<Configuration> onChange;
  private final ScheduledExecutorService looking;
  private FileState read;
  private FileState last;

  private ReloadingFile(
      Sources sources, Path file, Configuration running, Consumer<Configuration> onChange) {
    this.sources = sources;
    this.file = file;
    this.running = running;
    this.onChange = onChange;
    this.read = check();
    this.last = read;
    this.looking =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "once-config");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Begins to look.
   *
   * @param running what the gateway was started with
   * @param onChange is given each good configuration, on the thread that looks
   */
  public static ReloadingFile watch(
      Sources sources, Configuration running, Duration every, Consumer<Configuration> onChange) {
    Path file = sources.file();
    if (file == null) {
      throw new IllegalArgumentException("sources: no file (expected: one to look at)");
    }
    ReloadingFile reloading = new ReloadingFile(sources, file, running, onChange);
    long nanos = every.toNanos();
    reloading.looking.scheduleWithFixedDelay(
        reloading::checkAgain, nanos, nanos, TimeUnit.NANOSECONDS);
    return reloading;
  }

  private FileState check() {
    try {
      return new FileState(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException e) {
      return new FileState(null, -1);
    }
  }

  private void checkAgain() {
    FileState now = check();
    boolean settled = now.equals(last);
    last = now;
    if (settled && !now.equals(read)) {
      read = now;
      reload();
    }
  }

  private void reload() {
    try {
      Configuration later = Configuration.load(sources);
      onChange.accept(later);
      log.info("{} was read again", file);
      for (String label : running.needRestart(later)) {
        log.warn("{}: {} has changed (expected: a restart, to take effect)", file, label);
      }
    } catch (ConfigurationException e) {
      e.problems().forEach(problem -> log.error("not reloaded: {}", problem));
    } catch (RuntimeException e) {
      log.error("not reloaded: {}", file, e);
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
