package dev.once.benchmarks.soak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Promises that were broken: how often, and the first example of each. */
final class Findings {

  private final Map<String, String> examples = new LinkedHashMap<>();
  private final Map<String, Integer> times = new LinkedHashMap<>();

  synchronized void broken(String promise, String example) {
    examples.putIfAbsent(promise, example);
    times.merge(promise, 1, Integer::sum);
  }

  synchronized boolean isEmpty() {
    return times.isEmpty();
  }

  synchronized List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    times.forEach(
        (promise, count) ->
            sentences.add(
                "%s: %d times, first %s".formatted(promise, count, examples.get(promise))));
    return sentences;
  }
}
