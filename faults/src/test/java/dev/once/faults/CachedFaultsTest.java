package dev.once.faults;

import dev.once.faults.TieredSubject.Victim;

/** PostgreSQL with a replay cache in front, and the cache has all the faults. */
class CachedFaultsTest extends FaultRuns {

  @Override
  Subject start() {
    return new TieredSubject("cached", Victim.REDIS);
  }
}
