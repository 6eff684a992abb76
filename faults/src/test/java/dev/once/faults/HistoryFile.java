package dev.once.faults;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A history in two files of lines: {@code history-NAME.txt} has the events, {@code kept-NAME.txt}
 * what the store had in the end, as key, fence and answer, with tabs between.
 */
final class HistoryFile {

  private static final String NO_ANSWER = "null";

  private HistoryFile() {}

  /** Says where it is. */
  static Path write(Path folder, String name, History history, FinalState finalState) {
    String file = name.replaceAll("[^A-Za-z0-9]+", "-") + ".txt";
    Stream<String> events =
        history.byKey().values().stream().flatMap(List::stream).map(Event::line);
    Stream<String> kept =
        finalState.records().entrySet().stream()
            .map(e -> e.getKey() + "\t" + e.getValue().fence() + "\t" + e.getValue().answer());
    try {
      Files.createDirectories(folder);
      writeLines(folder.resolve("kept-" + file), kept);
      return writeLines(folder.resolve("history-" + file), events);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One by one: an hour has millions. */
  private static Path writeLines(Path file, Stream<String> lines) throws IOException {
    try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(file))) {
      lines.forEach(writer::println);
    }
    return file;
  }

  static History events(Path file) {
    History history = new History();
    try (Stream<String> lines = Files.lines(file)) {
      lines.map(Event::parse).forEach(history);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return history;
  }

  /** The file beside the one with the events. */
  static Map<String, FinalRecord> kept(Path events) {
    Path file = events.resolveSibling(events.getFileName().toString().replace("history-", "kept-"));
    Map<String, FinalRecord> kept = new HashMap<>();
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .map(line -> line.split("\t", 3))
          .forEach(
              parts ->
                  kept.put(
                      parts[0],
                      new FinalRecord(
                          Long.parseLong(parts[1]), parts[2].equals(NO_ANSWER) ? null : parts[2])));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return kept;
  }
}
