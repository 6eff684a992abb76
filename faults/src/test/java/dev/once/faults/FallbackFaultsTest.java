package dev.once.faults;

import dev.once.faults.TieredSubject.Victim;

/** Redis with PostgreSQL behind it, and Redis has all the faults. */
class FallbackFaultsTest extends FaultRuns {

  @Override
  Subject start() {
    return new TieredSubject("fallback", Victim.REDIS);
  }
}
