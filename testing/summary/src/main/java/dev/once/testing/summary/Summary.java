package dev.once.testing.summary;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last words of a build: how many tests ran, which were skipped and why, and which test classes
 * took longest. It reads the reports that Surefire left in all modules.
 */
public final class Summary {

  private static final int SLOWEST = 10;
  private static final int NAMED = 4;
  private static final Path REPORTS = Path.of("target", "surefire-reports");

  private final List<Report> reports;

  Summary(List<Report> reports) {
    this.reports = List.copyOf(reports);
  }

  /** Prints it. The arguments: the project's folder, and when the build began. */
  public static void main(String[] args) throws IOException {
    System.out.print(of(Path.of(args[0]), Instant.parse(args[1])).text());
  }

  /** Older reports are of tests that this build did not run. */
  static Summary of(Path project, Instant begin) throws IOException {
    List<Report> reports = new ArrayList<>();
    for (Path folder : folders(project)) {
      String module = project.relativize(folder).toString().replace('\\', '/');
      for (Path file : files(folder.resolve(REPORTS))) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(begin)) {
          reports.add(Report.read(module, file));
        }
      }
    }
    return new Summary(reports);
  }

  private static List<Path> folders(Path project) throws IOException {
    try (Stream<Path> near = Files.walk(project, 2)) {
      return near.filter(folder -> Files.isDirectory(folder.resolve(REPORTS))).sorted().toList();
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
          .sorted()
          .toList();
    }
  }

  String text() {
    if (reports.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    int tests = reports.stream().mapToInt(Report::tests).sum();
    int skipped = reports.stream().mapToInt(report -> report.skipped().size()).sum();
    text.append("%,d tests, %,d of them skipped%n".formatted(tests, skipped));
    byReason().forEach((reason, where) -> text.append(line(reason, where)));
    text.append("The slowest test classes, in seconds:%n".formatted());
    reports.stream()
        .sorted(Comparator.comparingDouble(Report::seconds).reversed())
        .limit(SLOWEST)
        .map(it -> String.format(Locale.ROOT, "  %5.1f  %s%n", it.seconds(), it.name()))
        .forEach(text::append);
    return text.toString();
  }

  private Map<String, List<Report>> byReason() {
    Map<String, List<Report>> all = new TreeMap<>();
    for (Report report : reports) {
      report
          .skipped()
          .forEach(why -> all.computeIfAbsent(why, any -> new ArrayList<>()).add(report));
    }
    return all;
  }

  /** A class is in the list once for each test that it skipped for this reason. */
  private static String line(String reason, List<Report> where) {
    List<String> names = where.stream().map(Report::name).distinct().toList();
    String shown = names.stream().limit(NAMED).collect(Collectors.joining(", "));
    String more = names.size() > NAMED ? " and %d more".formatted(names.size() - NAMED) : "";
    return "  %d skipped: %s%n      in %s%s%n".formatted(where.size(), reason, shown, more);
  }
}
