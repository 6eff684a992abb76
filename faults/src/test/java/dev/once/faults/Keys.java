package dev.once.faults;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Scope;
import java.time.Duration;
import java.util.Random;

/**
 * The operations of a run, by number. Two policies take turns; now and then one takes longer than
 * its lease, some are released by hand, and some are kept for a moment only. An answer says which
 * run of which operation it is of, and its padding shows damage.
 */
final class Keys {

  private static final int POLICIES = 2;
  private static final int SLOW_ONE_IN = 25;
  private static final int RELEASED_TWO_IN = 10;
  private static final int BRIEF_TWO_IN = 10;

  /** Of the keys whose answers expire during a run, after which they run anew. */
  private static final Duration BRIEF = Duration.ofSeconds(2);

  private Keys() {}

  static String key(int number) {
    boolean again = number % POLICIES == 0;
    boolean slow = number % SLOW_ONE_IN == 0;
    boolean released = number % RELEASED_TWO_IN == 7 || number % RELEASED_TWO_IN == 8;
    boolean brief = number % BRIEF_TWO_IN == 4 || number % BRIEF_TWO_IN == 9;
    return "%s%s-%06d"
        .formatted(
            again ? "again" : "unknown",
            slow ? "-slow" : released ? "-released" : brief ? "-brief" : "",
            number);
  }

  static int number(String key) {
    return Integer.parseInt(key.substring(key.lastIndexOf('-') + 1));
  }

  static boolean runsAgain(String key) {
    return key.startsWith("again");
  }

  static boolean isSlow(String key) {
    return key.contains("-slow-");
  }

  /** Whether a person releases it now and then. */
  static boolean isReleased(String key) {
    return key.contains("-released-");
  }

  /** Whether its retention ends during a run. */
  static boolean mayExpire(String key) {
    return key.contains("-brief-");
  }

  static Duration retention(String key) {
    return mayExpire(key) ? BRIEF : Policy.DEFAULT.retention();
  }

  static OperationId id(String key) {
    return new OperationId(new Scope("acme", "faults", ""), Key.of(key));
  }

  static Operation operation(String key, Duration lease, OnBusy onBusy) {
    Policy policy =
        Policy.DEFAULT.with(
            p ->
                p.lease(lease)
                    .retention(retention(key))
                    .onBusy(onBusy)
                    .longestWait(lease.multipliedBy(2))
                    .onCrash(runsAgain(key) ? OnCrash.RUN_AGAIN : OnCrash.OUTCOME_UNKNOWN));
    return operation(key, policy);
  }

  static Operation operation(String key, Policy policy) {
    return new Operation(id(key), Fingerprint.of(key), policy);
  }

  /** The same key, but something else is wanted. */
  static Operation otherOperation(String key, Duration lease) {
    Operation wanted = operation(key, lease, OnBusy.REJECT);
    return new Operation(wanted.id(), Fingerprint.of(key + " but other"), wanted.policy());
  }

  static String answerText(String key, String process, long fence) {
    return key + " by " + process + " with fence " + fence;
  }

  static long fence(String answerText) {
    return Long.parseLong(answerText.substring(answerText.lastIndexOf(' ') + 1));
  }

  /** An answer of about this many bytes. */
  static Answer answer(String text, int bytes) {
    return Answer.success(201, Body.of(text + "\n" + padding(text, bytes)));
  }

  static String text(Answer answer) {
    String body = ((Body.Full) answer.body()).bytes().toUtf8();
    String text = body.substring(0, body.indexOf('\n'));
    String rest = body.substring(body.indexOf('\n') + 1);
    return rest.equals(padding(text, rest.length())) ? text : "DAMAGED " + text;
  }

  /** Does not compress well, and differs from answer to answer. */
  private static String padding(String text, int bytes) {
    Random random = new Random(text.hashCode());
    StringBuilder padding = new StringBuilder(bytes);
    while (padding.length() < bytes) {
      padding.append((char) ('!' + random.nextInt(90)));
    }
    return padding.toString();
  }
}
