package dev.once.faults;

class RedisFaultsTest extends FaultRuns {

  @Override
  Subject start() {
    return new RedisSubject("appendonly yes", "appendfsync always");
  }
}
