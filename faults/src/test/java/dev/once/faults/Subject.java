package dev.once.faults;

import dev.once.testing.servers.FaultProxy;
import java.time.Duration;
import java.util.Set;

/** A store's server, and the faults that it can have. */
interface Subject extends AutoCloseable {

  /** A new, empty store on this server. */
  String newStore();

  /** The port that a proxy is put in front of, and what leads a store's URL through it. */
  FaultProxy proxy();

  /** The same store, through the proxy. */
  String throughProxy(String url);

  /** Whether clients are refused while its server is gone; a cache's loss they must not notice. */
  default boolean failsClients() {
    return true;
  }

  /**
   * What a store of this kind does not promise while it has faults; its guide says so. It is held
   * to the weaker form of a rule that has one ({@link Promises}).
   */
  default Set<Rule> notPromised() {
    return Set.of();
  }

  /** kill -9. */
  void kill();

  /** After a kill, on the same port and data. */
  void restart();

  /** SIGSTOP. */
  void pause();

  /** SIGCONT. */
  void resume();

  /** Moves the server's clock, as far as this store's records are concerned. */
  void moveClock(String url, Duration by);

  @Override
  void close();
}
