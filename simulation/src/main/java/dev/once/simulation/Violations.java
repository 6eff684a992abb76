package dev.once.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What was seen of broken invariants, in the order in which it was seen. */
final class Violations {

  private final History history;
  private final List<Violation> seen = new ArrayList<>();

  Violations(History history) {
    this.history = history;
  }

  void add(Invariant invariant, String detail) {
    seen.add(new Violation(invariant, detail, history.size()));
  }

  /** Its words are asked for only if it does not hold, which is never. */
  void require(boolean holds, Invariant invariant, Supplier<String> otherwise) {
    if (!holds) {
      add(invariant, otherwise.get());
    }
  }

  List<Violation> all() {
    return List.copyOf(seen);
  }
}
