package dev.once.examples.payments;

/** The steps of a charge, as its database sees them. */
enum Step {
  BEFORE_CLAIM(false),
  AFTER_CLAIM(false),
  AFTER_LEDGER_WRITE(false),
  AFTER_RECORD(false),
  BEFORE_COMMIT(false),
  AFTER_COMMIT(true);

  private final boolean committed;

  Step(boolean committed) {
    this.committed = committed;
  }

  /** Whether the charge has happened, although nobody was told. */
  boolean isCommitted() {
    return committed;
  }
}
