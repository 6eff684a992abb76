package dev.once.faults;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL with a replay cache in front, and the cache has all the faults. */
class CachedFaultsTest extends FaultRuns {

  private TieredSubject tiers;

  @Override
  Subject start() {
    tiers = new TieredSubject("cached");
    return tiers;
  }

  /** As they are for the database, which decides. */
  @Override
  @Test
  @Tag("long")
  void clients_are_killed_and_paused_past_their_leases() throws Exception {
    super.clients_are_killed_and_paused_past_their_leases();
  }

  @Test
  void the_database_is_killed_and_restarted_while_redis_is_there() {
    try (Run run = load()) {
      tiers.database().kill();
      run.awaitRefusals(3);
      tiers.database().restart();
      finish(run);
    }
  }
}
