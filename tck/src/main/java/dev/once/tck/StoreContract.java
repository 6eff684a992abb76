package dev.once.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The contract of a store. A test class that extends this runs all of it; what depends on a
 * capability that the store does not claim is reported as skipped, with the reason.
 *
 * <p>Each group is a class of its own in this package; here is only how they are called.
 */
public abstract class StoreContract {

  /** A fixture with no records in it. Each test opens one and closes it. */
  protected abstract StoreFixture open() throws Exception;

  @Nested
  @DisplayName("a claim")
  class AClaim extends Claims {
    AClaim() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("the identity of an operation")
  class TheIdentity extends Identity {
    TheIdentity() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a fence")
  class AFence extends Fences {
    AFence() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("the end of a lease")
  class TheEndOfALease extends LeaseEnds {
    TheEndOfALease() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a completion")
  class ACompletion extends Completions {
    ACompletion() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a release")
  class ARelease extends Releases {
    ARelease() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a withdrawal")
  class AWithdrawal extends Withdrawals {
    AWithdrawal() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("the retention")
  class TheRetention extends Retention {
    TheRetention() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a purge")
  class APurge extends Purges {
    APurge() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("an answer")
  class AnAnswer extends Answers {
    AnAnswer() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("the record")
  class TheRecord extends Records {
    TheRecord() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a race")
  class ARace extends Races {
    ARace() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("in flight together,")
  class InFlightTogether extends InFlight {
    InFlightTogether() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("a reopened store")
  class AReopenedStore extends Durability {
    AReopenedStore() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("closing")
  class AClosing extends Closing {
    AClosing() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("wake-ups")
  class TheWakeUps extends WakeUps {
    TheWakeUps() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("engines")
  class Engines extends EngineClocks {
    Engines() {
      super(StoreContract.this::open);
    }
  }

  @Nested
  @DisplayName("the round trips")
  class TheRoundTrips extends RoundTrips {
    TheRoundTrips() {
      super(StoreContract.this::open);
    }
  }
}
