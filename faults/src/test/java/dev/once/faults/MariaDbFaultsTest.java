package dev.once.faults;

import dev.once.testing.servers.MariaDbServer;

class MariaDbFaultsTest extends FaultRuns {

  @Override
  Subject start() {
    return new DatabaseSubject(MariaDbServer.start());
  }
}
