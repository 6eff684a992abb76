package dev.once.faults;

import java.time.Duration;

/**
 * How clients behave in a run.
 *
 * @param clients threads on each engine
 * @param work how long most handlers take, at most
 * @param answerBytes the size of an answer
 */
record Plan(Duration lease, Duration storeTimeout, int clients, Duration work, int answerBytes) {

  /** Short leases, so that a fault that outlasts one is short too. */
  static final Plan SHORT =
      new Plan(Duration.ofSeconds(1), Duration.ofMillis(700), 4, Duration.ofMillis(50), 500);

  Plan withAnswers(int bytes) {
    return new Plan(lease, storeTimeout, clients, work, bytes);
  }

  /** As one argument of a process. */
  String text() {
    return lease + "," + storeTimeout + "," + clients + "," + work + "," + answerBytes;
  }

  static Plan parse(String text) {
    String[] parts = text.split(",", -1);
    return new Plan(
        Duration.parse(parts[0]),
        Duration.parse(parts[1]),
        Integer.parseInt(parts[2]),
        Duration.parse(parts[3]),
        Integer.parseInt(parts[4]));
  }
}
