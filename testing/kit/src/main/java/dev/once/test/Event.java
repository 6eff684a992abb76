package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Refusal.Reason;
import java.time.Instant;

/** One thing that happened to an operation, as its store saw it. */
public sealed interface Event {

  /** When, by the store's clock. */
  Instant at();

  /** Somebody was given the right to run it. */
  record Began(Instant at, Fence fence, int attempt) implements Event {
    @Override
    public String toString() {
      return "began: attempt " + attempt + ", fence " + fence;
    }
  }

  /** It ended, and this answer was recorded. */
  record Ended(Instant at, Fence fence, Answer answer) implements Event {
    @Override
    public String toString() {
      return "ended: " + Texts.of(answer) + ", fence " + fence;
    }
  }

  /** The key was freed, by the owner or by a person: nothing was recorded. */
  record Released(Instant at, Fence fence) implements Event {
    @Override
    public String toString() {
      return "released: nothing recorded, fence " + fence;
    }
  }

  /** An owner that came late, or had crashed, wanted to end it, and was not let. */
  record CameLate(Instant at, Fence fence) implements Event {
    @Override
    public String toString() {
      return "came late: not recorded, fence " + fence;
    }
  }

  /** {@link RecordingStore#crash} was called while it ran. */
  record Crashed(Instant at, Fence fence) implements Event {
    @Override
    public String toString() {
      return "crashed: fence " + fence;
    }
  }

  /** A retry was given the recorded answer. */
  record Replayed(Instant at, Answer answer) implements Event {
    @Override
    public String toString() {
      return "replayed: " + Texts.of(answer);
    }
  }

  /** A request was not run, for this reason. */
  record Refused(Instant at, Reason reason) implements Event {
    @Override
    public String toString() {
      return "refused: " + reason;
    }
  }
}
