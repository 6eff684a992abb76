package dev.once.faults;

import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.NetworkHost;

class MariaDbPartitionsTest extends PartitionRuns {

  private MariaDbServer server;

  @Override
  void start(NetworkHost host) {
    server = MariaDbServer.start(host);
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
