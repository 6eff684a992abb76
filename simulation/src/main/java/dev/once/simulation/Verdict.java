package dev.once.simulation;

import java.util.List;

/** What one run showed. */
public final class Verdict {

  private static final int LINES_SHOWN = 40;

  private final long seed;
  private final Mutant mutant;
  private final List<Violation> violations;
  private final Coverage coverage;
  private final History history;
  private final int events;

  Verdict(long seed, Mutant mutant, World world) {
    this.seed = seed;
    this.mutant = mutant;
    this.violations = world.violations.all();
    this.coverage = world.coverage;
    this.history = world.history;
    this.events = world.queue.happened();
  }

  public List<Violation> violations() {
    return violations;
  }

  public boolean violates(Invariant invariant) {
    return violations.stream().anyMatch(violation -> violation.invariant() == invariant);
  }

  public Coverage coverage() {
    return coverage;
  }

  /** How many events it took. */
  public int events() {
    return events;
  }

  /** All that happened, one line each. */
  public List<String> history() {
    return history.inWords();
  }

  /** The first violation, what led to it, and how to see it again. */
  public String report() {
    if (violations.isEmpty()) {
      return "seed " + seed + ": all invariants hold";
    }
    Violation first = violations.get(0);
    List<String> linesBefore =
        history().subList(Math.max(0, first.line() - LINES_SHOWN), first.line());
    return String.format(
        "seed %d: %s violated (%s)%n  %s%n%n%s%n%nTo replay: %s%n",
        seed,
        first.invariant(),
        first.invariant().meaning(),
        first.detail(),
        String.join(System.lineSeparator(), linesBefore),
        replayCommand());
  }

  private String replayCommand() {
    return "./mvnw -pl simulation -am test -Dtest=SimulationTest"
        + " -Dsurefire.failIfNoSpecifiedTests=false -Dseed="
        + seed
        + (mutant == Mutant.NONE ? "" : " -Dmutant=" + mutant);
  }
}
