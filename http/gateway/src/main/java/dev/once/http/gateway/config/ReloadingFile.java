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
  private record Look(@Nullable FileTime changed, long size) {}

  private final Sources sources;
  private final Path file;
  private final Configuration running;
  private final Consumer<Configuration> taker;
  private final ScheduledExecutorService looking;
  private Look read;
  private Look last;

  private ReloadingFile(
      Sources sources, Path file, Configuration running, Consumer<Configuration> taker) {
    this.sources = sources;
    this.file = file;
    this.running = running;
    this.taker = taker;
    this.read = look();
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
   * @param taker is given each good configuration, on the thread that looks
   */
  public static ReloadingFile watch(
      Sources sources, Configuration running, Duration every, Consumer<Configuration> taker) {
    Path file = sources.file();
    if (file == null) {
      throw new IllegalArgumentException("sources: no file (expected: one to look at)");
    }
    ReloadingFile reloading = new ReloadingFile(sources, file, running, taker);
    long nanos = every.toNanos();
    reloading.looking.scheduleWithFixedDelay(
        reloading::lookAgain, nanos, nanos, TimeUnit.NANOSECONDS);
    return reloading;
  }

  private Look look() {
    try {
      return new Look(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException e) {
      return new Look(null, -1);
    }
  }

  private void lookAgain() {
    Look now = look();
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
      taker.accept(later);
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
