package dev.once.http.surfaces;

import dev.once.http.surfaces.FaultyStore.Step;
import dev.once.http.surfaces.Surface.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * One thing that can happen to a request with a key, and what every surface makes of it. The {@link
 * Situations} are the table.
 */
final class Situation {

  /** Plays the request that the situation is about, and says what its client sees. */
  interface Scene {
    String play(Stage stage) throws Exception;
  }

  final String title;
  final Map<Step, Fault> faults = new EnumMap<>(Step.class);
  private final Map<Kind, Outcome> differences = new EnumMap<>(Kind.class);

  /** Why a surface does something else, or does not have this situation. */
  private final Map<Kind, String> reasons = new EnumMap<>(Kind.class);

  Policies policy = Policies.USUAL;
  Behaviour behaviour = Behaviour.CREATES;
  Scene scene = Stage::send;
  boolean ownSurface;
  boolean faultsStay;
  boolean retriedAfterLease;
  private Outcome expected;

  Situation(String title) {
    this.title = title;
  }

  Situation handler(Behaviour does) {
    behaviour = does;
    return this;
  }

  Situation policy(Policies inForce) {
    policy = inForce;
    return this;
  }

  /** A fault of the store, from the request until its retry. */
  Situation store(Step step, Fault fault) {
    faults.put(step, fault);
    return this;
  }

  /** The store is not mended before the retry. */
  Situation faultsStay() {
    faultsStay = true;
    return this;
  }

  /** The lease is so short that a retry may come before or after its end: none comes before. */
  Situation retriedAfterLease() {
    retriedAfterLease = true;
    return this;
  }

  /** The surface is of no use to others afterwards. */
  Situation ownSurface() {
    ownSurface = true;
    return this;
  }

  Situation scene(Scene play) {
    scene = play;
    return this;
  }

  Situation expect(String client, String holds, String retry, int runs) {
    return expect(client, holds, retry, Outcome.NONE, runs);
  }

  Situation expect(String client, String holds, String retry, String afterLease, int runs) {
    expected = new Outcome(client, holds, retry, afterLease, runs);
    return this;
  }

  /** What is right at one surface, and why it is not what others do. */
  Situation at(Kind surface, String why, Outcome outcome) {
    reasons.put(surface, why);
    differences.put(surface, outcome);
    return this;
  }

  /** There is no such thing at a surface. */
  Situation notAt(Kind surface, String why) {
    reasons.put(surface, why);
    return this;
  }

  boolean isAt(Kind surface) {
    return differences.containsKey(surface) || !reasons.containsKey(surface);
  }

  Outcome expected() {
    return expected;
  }

  Outcome expected(Kind surface) {
    return differences.getOrDefault(surface, expected);
  }

  Map<Kind, Outcome> differences() {
    return differences;
  }

  Map<Kind, String> reasons() {
    return reasons;
  }

  @Override
  public String toString() {
    return title;
  }
}
