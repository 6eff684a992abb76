package dev.once.faults;

import dev.once.testing.servers.NetworkHost;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;

class RedisPartitionsTest extends PartitionRuns {

  private RedisServer server;

  @Override
  void start(NetworkHost host) throws IOException {
    server = RedisServer.start(host, "appendonly yes", "appendfsync always");
  }

  @Override
  String newStore() {
    try {
      server.command("FLUSHALL");
      return server.url();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }
}
