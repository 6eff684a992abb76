package dev.once.faults;

import dev.once.testing.servers.PostgresServer;
import org.junit.jupiter.api.Test;

class PostgresFaultsTest extends FaultRuns {

  private PostgresServer server;

  @Override
  Subject start() {
    server = PostgresServer.start();
    return new DatabaseSubject(server);
  }

  @Test
  void the_server_is_shut_down_immediately_in_the_middle_of_requests() {
    try (Run run = load()) {
      server.stopImmediately();
      run.awaitRefusals(5);
      server.restart();
      finish(run);
    }
  }
}
