package dev.once.simulation;

import java.time.Duration;
import java.util.SplittableRandom;

/** What all parts of one run share. */
final class World {

  final EventQueue queue = new EventQueue();
  final History history = new History(queue);
  final Violations violations = new Violations(history);
  final Coverage coverage = new Coverage();
  final StoreClock storeClock = new StoreClock(queue);
  final Ledger ledger = new Ledger(storeClock, history, violations, coverage);
  final RunRules runRules = new RunRules(this);
  final ResultRules resultRules = new ResultRules(this);
  final StoreServer server;
  final Faults faults;

  // The nodes' settings.
  final Duration storeTimeout;
  final Duration purgeInterval;
  final int maxWaiters;
  final boolean wakeUps;

  World(SplittableRandom random, Mutant mutant) {
    server = new StoreServer(new MutantStore(mutant, storeClock), history, ledger, coverage);
    faults = new Faults(random.split());
    storeTimeout = Duration.ofMillis(random.nextInt(60, 400));
    purgeInterval = Duration.ofMillis(random.nextInt(1_000, 8_000));
    maxWaiters = random.nextInt(1, 4);
    wakeUps = random.nextBoolean();
  }
}
