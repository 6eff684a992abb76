package dev.once.launcher;

/** It must not be done, by whatever way. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1;

  RefusedException(String why) {
    super(why);
  }
}
