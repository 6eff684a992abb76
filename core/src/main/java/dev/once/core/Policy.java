package dev.once.core;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The values that decide what happens to an operation. Plain data: the engine reads it, and no code
 * asks which profile a policy came from.
 *
 * @param retention how long a finished answer is kept, and a crashed operation after its lease
 * @param lease how long the right to run lasts without a renewal
 * @param longestRun how long a running handler's lease is renewed; after that it counts as crashed
 * @param onBusy what a duplicate gets while the first one runs
 * @param longestWait how long a duplicate waits, if {@code onBusy} is {@link OnBusy#WAIT}
 * @param onCrash what a retry gets when the owner's lease ended without an answer
 * @param onRejection whether an answer with {@link Outcome#REJECTION} is kept
 * @param onFailure whether an answer with {@link Outcome#FAILURE}, or an exception, is kept
 * @param onStoreDown what happens when the store cannot be asked
 * @param keep how much of an answer is kept
 * @param maxStoredBody largest body, in bytes, that is kept whole; a larger one is kept as a digest
 */
public record Policy(
    Duration retention,
    Duration lease,
    Duration longestRun,
    OnBusy onBusy,
    Duration longestWait,
    OnCrash onCrash,
    OnEnd onRejection,
    OnEnd onFailure,
    OnStoreDown onStoreDown,
    Keep keep,
    int maxStoredBody) {

  /** What a duplicate gets while the first one runs. */
  public enum OnBusy {
    /** A refusal that says when to come back. */
    REJECT,
    /** The first one's answer, as soon as it is there. */
    WAIT
  }

  /** What a retry gets when the owner's lease ended without an answer. */
  public enum OnCrash {
    /** The right to run again, with a higher fence. */
    RUN_AGAIN,
    /** "Outcome unknown", until a person releases the key or its retention ends. */
    OUTCOME_UNKNOWN,
    /** "Busy", as if it still ran, until a person releases the key or its retention ends. */
    HOLD
  }

  /** What becomes of an operation whose handler ended without success. */
  public enum OnEnd {
    /** The answer is kept and replayed. */
    RECORD,
    /** Nothing is kept: a retry runs. */
    RELEASE
  }

  /** What happens when the store cannot be asked. */
  public enum OnStoreDown {
    /** The operation is refused: it does not run. */
    REFUSE,
    /** The operation runs without protection, and says so. */
    GO_ON
  }

  /** How much of an answer is kept. */
  public enum Keep {
    ANSWER,
    /** The outcome and the code, without headers and body. */
    STATUS_ONLY
  }

  public static final int MAX_STORED_BODY = 16 * 1024 * 1024;

  /** The values of the {@code ietf} profile. */
  public static final Policy DEFAULT =
      new Policy(
          Duration.ofHours(24),
          Duration.ofMinutes(5),
          Duration.ofHours(1),
          OnBusy.REJECT,
          Duration.ofSeconds(30),
          OnCrash.OUTCOME_UNKNOWN,
          OnEnd.RECORD,
          OnEnd.RECORD,
          OnStoreDown.REFUSE,
          Keep.ANSWER,
          1024 * 1024);

  public Policy {
    Checks.positive("retention", retention);
    Checks.positive("lease", lease);
    Checks.positive("longestRun", longestRun);
    Checks.positive("longestWait", longestWait);
    Objects.requireNonNull(onBusy, "onBusy: null (expected: REJECT or WAIT)");
    Objects.requireNonNull(onCrash, "onCrash: null (expected: RUN_AGAIN, OUTCOME_UNKNOWN or HOLD)");
    Objects.requireNonNull(onRejection, "onRejection: null (expected: RECORD or RELEASE)");
    Objects.requireNonNull(onFailure, "onFailure: null (expected: RECORD or RELEASE)");
    Objects.requireNonNull(onStoreDown, "onStoreDown: null (expected: REFUSE or GO_ON)");
    Objects.requireNonNull(keep, "keep: null (expected: ANSWER or STATUS_ONLY)");
    if (maxStoredBody < 0 || maxStoredBody > MAX_STORED_BODY) {
      throw new IllegalArgumentException(
          "maxStoredBody: " + maxStoredBody + " (expected: 0 to " + MAX_STORED_BODY + ")");
    }
  }

  /**
   * What is recorded of an answer: all of it, its body as a digest, or its status only; empty if
   * nothing is, and a retry may run.
   *
   * @param maxBody the largest body, in bytes, that the store takes
   */
  public Optional<Answer> kept(Answer answer, int maxBody) {
    if (onEnd(answer.outcome()) == OnEnd.RELEASE) {
      return Optional.empty();
    }
    return Optional.of(
        keep == Keep.STATUS_ONLY
            ? answer.statusOnly()
            : answer.within(Math.min(maxStoredBody, maxBody)));
  }

  private OnEnd onEnd(Outcome outcome) {
    return switch (outcome) {
      case SUCCESS -> OnEnd.RECORD;
      case REJECTION -> onRejection;
      case FAILURE -> onFailure;
    };
  }

  /** A copy in which some values differ. */
  public Policy with(UnaryOperator<Builder> changes) {
    return changes.apply(new Builder(this)).build();
  }

  /** A policy in the making. */
  public static final class Builder {
    private Duration retention;
    private Duration lease;
    private Duration longestRun;
    private OnBusy onBusy;
    private Duration longestWait;
    private OnCrash onCrash;
    private OnEnd onRejection;
    private OnEnd onFailure;
    private OnStoreDown onStoreDown;
    private Keep keep;
    private int maxStoredBody;

    private Builder(Policy from) {
      retention = from.retention;
      lease = from.lease;
      longestRun = from.longestRun;
      onBusy = from.onBusy;
      longestWait = from.longestWait;
      onCrash = from.onCrash;
      onRejection = from.onRejection;
      onFailure = from.onFailure;
      onStoreDown = from.onStoreDown;
      keep = from.keep;
      maxStoredBody = from.maxStoredBody;
    }

    public Builder retention(Duration value) {
      retention = value;
      return this;
    }

    public Builder lease(Duration value) {
      lease = value;
      return this;
    }

    public Builder longestRun(Duration value) {
      longestRun = value;
      return this;
    }

    public Builder onBusy(OnBusy value) {
      onBusy = value;
      return this;
    }

    public Builder longestWait(Duration value) {
      longestWait = value;
      return this;
    }

    public Builder onCrash(OnCrash value) {
      onCrash = value;
      return this;
    }

    public Builder onRejection(OnEnd value) {
      onRejection = value;
      return this;
    }

    public Builder onFailure(OnEnd value) {
      onFailure = value;
      return this;
    }

    public Builder onStoreDown(OnStoreDown value) {
      onStoreDown = value;
      return this;
    }

    public Builder keep(Keep value) {
      keep = value;
      return this;
    }

    public Builder maxStoredBody(int value) {
      maxStoredBody = value;
      return this;
    }

    private Policy build() {
      return new Policy(
          retention,
          lease,
          longestRun,
          onBusy,
          longestWait,
          onCrash,
          onRejection,
          onFailure,
          onStoreDown,
          keep,
          maxStoredBody);
    }
  }
}
