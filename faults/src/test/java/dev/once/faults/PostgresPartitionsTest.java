package dev.once.faults;

import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.NetworkHost;
import dev.once.testing.servers.PostgresServer;

class PostgresPartitionsTest extends PartitionRuns {

  private PostgresServer server;

  @Override
  void start(NetworkHost host) {
    server = PostgresServer.start(host);
  }

  @Override
  String newStore() {
    String url = server.newDatabase();
    JdbcStore.migrate(url);
    return url;
  }

  @Override
  void stop() {
    if (server != null) {
      server.close();
    }
  }
}
