package dev.once.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the benchmarks and prints a table of ratios, each next to what it is to reach. With
 * arguments, only the sections named: memory, growth, codec, canonical, sqlite, bytes, rows,
 * postgresql, postgresql-growth, mariadb-bytes, redis, redis-growth.
 */
public final class Report {

  private record Row(String what, String measured, String ratio, String goal) {}

  private final List<Row> rows = new ArrayList<>();

  private Report() {}

  public static void main(String[] arguments) throws Exception {
    List<String> sections =
        arguments.length == 0
            ? List.of(
                "memory",
                "codec",
                "canonical",
                "bytes",
                "sqlite",
                "growth",
                "rows",
                "postgresql",
                "redis")
            : List.of(arguments);
    Report report = new Report();
    for (String section : sections) {
      switch (section) {
        case "memory" -> report.memory();
        case "codec" -> report.codec();
        case "canonical" -> report.canonical();
        case "bytes" -> StoredBytes.sqlite(report);
        case "sqlite" -> report.sqlite();
        case "growth" -> report.growth();
        case "rows" -> report.rows();
        case "postgresql" -> report.postgresql();
        case "postgresql-growth" -> PostgresGrowthBenchmark.run(report);
        case "mariadb-bytes" -> StoredBytes.mariadb(report);
        case "redis" -> report.redis();
        case "redis-growth" -> RedisGrowthBenchmark.run(report);
        default -> {
          System.err.println(
              "section: "
                  + section
                  + " (expected: memory, codec, canonical, bytes, sqlite, growth, rows, postgresql,"
                  + " postgresql-growth, mariadb-bytes, redis or redis-growth)");
          System.exit(2);
        }
      }
    }
    report.print();
  }

  private void memory() throws RunnerException {
    Collection<RunResult> results =
        run(options(MemoryBenchmark.class).addProfiler(GCProfiler.class));
    double replay = score(results, "replay", "");
    double get = score(results, "mapGet", "");
    double first = score(results, "first", "");
    double put = score(results, "mapPutTwice", "");
    add("memory: replay / map get", "%.0f / %.0f ns".formatted(replay, get), replay / get, "<= 4");
    double getAndClock = score(results, "mapGetAndClock", "");
    add(
        "memory: replay / map get and one look at the clock",
        "%.0f / %.0f ns".formatted(replay, getAndClock),
        replay / getAndClock,
        "to compare");
    add(
        "memory: first request / two map puts",
        "%.0f / %.0f ns".formatted(first, put),
        first / put,
        "<= 4");
    rows.add(
        new Row(
            "memory: bytes allocated, replay / first request",
            "%.0f / %.0f".formatted(allocated(results, "replay"), allocated(results, "first")),
            "",
            "stated"));
  }

  private void growth() throws RunnerException {
    Collection<RunResult> results = run(options(MemoryGrowthBenchmark.class));
    double few = score(results, "claimAndRelease", "10000");
    double many = score(results, "claimAndRelease", "10000000");
    add(
        "memory: claim and release among 10 M / 10 k keys",
        "%.0f / %.0f ns".formatted(many, few),
        many / few,
        "<= 1.5");
    double mapFew = score(results, "mapPutAndRemove", "10000");
    double mapMany = score(results, "mapPutAndRemove", "10000000");
    add(
        "bare map: put and remove among 10 M / 10 k keys",
        "%.0f / %.0f ns".formatted(mapMany, mapFew),
        mapMany / mapFew,
        "to compare");
  }

  private void codec() throws RunnerException {
    Collection<RunResult> results = run(options(CodecBenchmark.class));
    for (String name : List.of("encode", "decode", "fingerprint")) {
      double nanos = score(results, name, "");
      rows.add(
          new Row("codec: " + name + " 2 KB", "%.1f µs".formatted(nanos / 1000), "", "stated"));
    }
  }

  private void canonical() throws RunnerException {
    Collection<RunResult> results = run(options(CanonicalBenchmark.class));
    double reference = score(results, "reference", "");
    double ours = score(results, "ours", "");
    add(
        "canonical hashing of 2 KB JSON: reference / ours",
        "%.1f / %.1f µs".formatted(reference / 1000, ours / 1000),
        reference / ours,
        ">= 3");
  }

  private void sqlite() throws RunnerException {
    for (int threads : new int[] {64, 1}) {
      Collection<RunResult> results = run(options(SqliteBenchmark.class).threads(threads));
      double first = score(results, "first", "");
      double plain = score(results, "plainFirst", "");
      double replay = score(results, "replay", "");
      double select = score(results, "plainSelect", "");
      add(
          "sqlite, %d threads: first request / one commit per step".formatted(threads),
          "%.0f / %.0f per s".formatted(first, plain),
          first / plain,
          threads == 64 ? ">= 10" : "stated");
      add(
          "sqlite, %d threads: replay / plain select".formatted(threads),
          "%.0f / %.0f per s".formatted(replay, select),
          replay / select,
          "stated");
    }
  }

  private void postgresql() throws Exception {
    try (PostgresBenchmark benchmark = new PostgresBenchmark()) {
      benchmark.run(this);
    }
  }

  private void redis() throws Exception {
    try (RedisBenchmark benchmark = new RedisBenchmark()) {
      benchmark.run(this);
    }
  }

  private void rows() throws RunnerException {
    Collection<RunResult> results = run(options(SqliteGrowthBenchmark.class));
    for (double percentile : new double[] {50, 99}) {
      double few = percentile(results, "10000", percentile);
      double many = percentile(results, "5000000", percentile);
      add(
          "sqlite: claim p%.0f among 5 M / 10 k rows".formatted(percentile),
          "%.0f / %.0f µs".formatted(many, few),
          many / few,
          percentile == 99 ? "<= 1.5" : "stated");
    }
  }

  private static ChainedOptionsBuilder options(Class<?> benchmark) {
    return new OptionsBuilder().include("^" + Pattern.quote(benchmark.getName()) + "\\.");
  }

  private static Collection<RunResult> run(ChainedOptionsBuilder options) throws RunnerException {
    return new Runner(options.build()).run();
  }

  private static double score(Collection<RunResult> results, String method, String stored) {
    return find(results, method, stored).getPrimaryResult().getScore();
  }

  private static double percentile(Collection<RunResult> results, String stored, double percent) {
    return find(results, "claim", stored).getPrimaryResult().getStatistics().getPercentile(percent);
  }

  private static double allocated(Collection<RunResult> results, String method) {
    Result<?> rate = find(results, method, "").getSecondaryResults().get("gc.alloc.rate.norm");
    return rate == null ? Double.NaN : rate.getScore();
  }

  private static RunResult find(Collection<RunResult> results, String method, String stored) {
    for (RunResult result : results) {
      String parameter = result.getParams().getParam("stored");
      boolean same = stored.isEmpty() ? parameter == null : stored.equals(parameter);
      if (same && result.getParams().getBenchmark().endsWith("." + method)) {
        return result;
      }
    }
    throw new IllegalStateException("no result for " + method + " " + stored);
  }

  /** A line with a ratio. */
  void add(String what, String measured, double ratio, String goal) {
    rows.add(new Row(what, measured, String.format(Locale.ROOT, "%.2f", ratio), goal));
  }

  /** A line that states a figure. */
  void state(String what, String measured) {
    state(what, measured, "stated");
  }

  void state(String what, String measured, String goal) {
    rows.add(new Row(what, measured, "", goal));
  }

  private void print() {
    System.out.println("\n| what | measured | ratio | goal |");
    System.out.println("|---|---|---|---|");
    for (Row row : rows) {
      System.out.printf("| %s | %s | %s | %s |%n", row.what, row.measured, row.ratio, row.goal);
    }
  }
}
