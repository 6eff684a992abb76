package dev.once.launcher;

/** It must not be done, by whatever way. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1;

  private final String why;

  RefusedException(String why) {
    super(why);
    this.why = why;
  }

  String why() {
    return why;
  }
}
