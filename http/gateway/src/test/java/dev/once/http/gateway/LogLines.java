package dev.once.http.gateway;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the log has said since a moment. The build sends it to a file. */
final class LogLines {

  private static final String FILE = System.getProperty("org.slf4j.simpleLogger.logFile", "");

  private final int before;

  private LogLines(int before) {
    this.before = before;
  }

  static LogLines fromNowOn() {
    assumeTrue(!FILE.isEmpty(), "the log goes to a file only in the build");
    LoggerFactory.getLogger(LogLines.class); // the first one empties a file of an earlier build
    return new LogLines(all().size());
  }

  /** Waits for a line with these words. */
  void await(String words) {
    GatewayFixture.eventually(() -> !with(words).isEmpty());
  }

  List<String> with(String words) {
    List<String> all = all();
    return all.subList(before, all.size()).stream().filter(line -> line.contains(words)).toList();
  }

  private static List<String> all() {
    try {
      return Files.readAllLines(Path.of(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
