package dev.once.faults;

import dev.once.testing.servers.RedisServer;
import java.util.List;

/** Several Redis servers, of which one takes the place of another. */
interface Topology extends AutoCloseable {

  /** Full copies begin at once: a replica that comes back is not waited for. */
  static String[] config() {
    return new String[] {"save \"\"", "repl-diskless-sync-delay 0"};
  }

  /**
   * The URL of a new, empty store.
   *
   * @param replicas how many have to confirm
   */
  String newStore(int replicas);

  /** Of all servers that a client may go to. */
  List<Integer> ports();

  /** The server that has the keys of the store that is in use; or some of them. */
  RedisServer master() throws Exception;

  /** The replica of that one, or one of them. */
  RedisServer replica() throws Exception;

  /** Waits until another one has its place. */
  void awaitSuccessor(RedisServer lost) throws Exception;

  /**
   * Makes the one that was lost and is there again follow its successor, and waits until it does.
   */
  void follow(RedisServer lost) throws Exception;

  @Override
  void close() throws Exception;
}
