package dev.once.benchmarks.soak;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What honest clients got in one part of the soak. Only their event loop writes it. */
final class Period {

  static final String STILL_RUNNING = "409 still running";

  final String name;
  final Latencies latencies = new Latencies();
  private final Map<String, Integer> others = new TreeMap<>();
  final AtomicInteger sent = new AtomicInteger();
  final AtomicInteger answered = new AtomicInteger();
  final AtomicInteger notBegun = new AtomicInteger();

  Period(String name) {
    this.name = name;
  }

  /** Something else than the answer: refused for now, or no answer at all. It is tried again. */
  synchronized void other(String what) {
    others.merge(what, 1, Integer::sum);
  }

  /** How many were refused or not answered; a duplicate of what runs is neither. */
  synchronized int refused() {
    return othersInAll() - others.getOrDefault(STILL_RUNNING, 0);
  }

  synchronized int othersInAll() {
    return others.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized String row() {
    return "| %s | %d | %d | %d | %d | %d | %s |"
        .formatted(
            name,
            sent.get(),
            answered.get(),
            latencies.percentile(50),
            latencies.percentile(99),
            notBegun.get(),
            others.isEmpty() ? "" : others.toString().replaceAll("[{}]", ""));
  }
}
