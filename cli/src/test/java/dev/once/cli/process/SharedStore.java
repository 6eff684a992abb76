package dev.once.cli.process;

import dev.once.core.store.Stores;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** What several gateways can share, on real servers. */
enum SharedStore {
  POSTGRESQL {
    @Override
    Opened open() {
      return new Opened(
          List.of("--store", migrated(PostgresServer.shared().newDatabase())), null, false);
    }
  },
  MARIADB {
    @Override
    Opened open() {
      return new Opened(
          List.of("--store", migrated(MariaDbServer.shared().newDatabase())), null, false);
    }
  },
  REDIS {
    @Override
    Opened open() throws IOException {
      RedisServer redis = RedisServer.start("appendonly yes", "appendfsync always");
      return new Opened(List.of("--store", redis.url()), redis, false);
    }
  },
  /** PostgreSQL, with a Redis in front that loses all it knows. */
  CACHED {
    @Override
    Opened open() throws IOException {
      String database = migrated(PostgresServer.shared().newDatabase());
      RedisServer redis = RedisServer.start("save \"\"");
      return new Opened(List.of("--store", database, "--cache", redis.url()), redis, true);
    }
  },
  /** A Redis that loses all it knows, with PostgreSQL behind. */
  FALLBACK {
    @Override
    Opened open() throws IOException {
      String database = migrated(PostgresServer.shared().newDatabase());
      RedisServer redis = RedisServer.start("save \"\"");
      return new Opened(List.of("--store", redis.url(), "--fallback", database), redis, true);
    }
  };

  abstract Opened open() throws IOException;

  private static String migrated(String url) {
    Stores.migrate(Stores.parse(url));
    return url;
  }

  /**
   * One that is there until it is closed.
   *
   * @param flags name it to a gateway
   * @param redis null for none
   * @param forgets whether the Redis decides nothing, and so may forget all it knows
   */
  record Opened(List<String> flags, RedisServer redis, boolean forgets) implements AutoCloseable {

    /** kill -9 of such a Redis, and a new start. */
    void loseItsMemory() {
      try {
        if (forgets) {
          redis.restart();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      if (redis != null) {
        redis.close();
      }
    }
  }
}
