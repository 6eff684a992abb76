package dev.once.faults;

import java.time.Duration;

/**
 * How clients behave in a run. Beside what is here, they release some keys by hand, and sometimes
 * ask for something else with the same key.
 *
 * @param clients threads on each engine
 * @param work how long most handlers take, at most
 * @param slow how long the others take
 * @param answerBytes the size of an answer
 */
record Plan(
    Duration lease,
    Duration storeTimeout,
    int clients,
    Duration work,
    Duration slow,
    int answerBytes) {

  /** Short leases, so that a fault that outlasts one is short too. */
  static final Plan SHORT =
      new Plan(
          Duration.ofSeconds(1),
          Duration.ofMillis(700),
          4,
          Duration.ofMillis(50),
          Duration.ofMillis(1300),
          500);

  /**
   * Hundreds of calls in flight, with leases that outlast the fault: a claim in doubt has to be
   * taken back while it is still somebody's.
   */
  static final Plan MANY =
      new Plan(
          Duration.ofSeconds(20),
          Duration.ofMillis(700),
          100,
          Duration.ofMillis(50),
          Duration.ofMillis(100),
          500);

  /** Within a block of keys each client has its own order: so many are in flight at once. */
  int block() {
    return Math.max(20, clients / 2);
  }

  Plan withAnswers(int bytes) {
    return new Plan(lease, storeTimeout, clients, work, slow, bytes);
  }

  /** As one argument of a process. */
  String text() {
    return lease + "," + storeTimeout + "," + clients + "," + work + "," + slow + "," + answerBytes;
  }

  static Plan parse(String text) {
    String[] parts = text.split(",", -1);
    return new Plan(
        Duration.parse(parts[0]),
        Duration.parse(parts[1]),
        Integer.parseInt(parts[2]),
        Duration.parse(parts[3]),
        Duration.parse(parts[4]),
        Integer.parseInt(parts[5]));
  }
}
