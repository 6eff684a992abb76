package dev.once.faults;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis with PostgreSQL behind it, and Redis has all the faults. */
class FallbackFaultsTest extends FaultRuns {

  private TieredSubject tiers;

  @Override
  Subject start() {
    tiers = new TieredSubject("fallback");
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
