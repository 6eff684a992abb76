package dev.once.core;

/**
 * The operation ran before, with this key, and failed or was rejected: that is its recorded answer,
 * and it was not run again. What the handler throws <em>now</em> reaches its caller as it is.
 */
public final class EarlierFailureException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private static final int MAX_TEXT = 200;

  private final transient Answer answer;

  EarlierFailureException(String what, Answer answer) {
    super(
        what
            + ": the first run "
            + (answer.outcome() == Outcome.REJECTION ? "was rejected" : "failed")
            + with(answer)
            + ", and that is recorded; it does not run again ("
            + (answer.outcome() == Outcome.REJECTION ? "onRejection" : "onFailure")
            + "=RELEASE would let it)");
    this.answer = answer;
  }

  /** What was recorded: by default the name of the exception's class is its body. */
  public Answer answer() {
    return answer;
  }

  private static String with(Answer answer) {
    if (!(answer.body() instanceof Body.Full full) || full.bytes().size() == 0) {
      return " with code " + answer.code();
    }
    String text = full.bytes().toUtf8();
    return " with "
        + text.substring(0, Math.min(text.length(), MAX_TEXT)).replaceAll("[^\\p{Graph} ]", "?");
  }
}
