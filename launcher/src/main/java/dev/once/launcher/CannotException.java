package dev.once.launcher;

/** It cannot be done here, and perhaps by Maven. */
final class CannotException extends Exception {

  private static final long serialVersionUID = 1;

  private final String why;

  CannotException(String why) {
    super(why);
    this.why = why;
  }

  String why() {
    return why;
  }
}
