package dev.once.launcher;

/** It cannot be done here, and perhaps by Maven. */
final class CannotException extends Exception {

  private static final long serialVersionUID = 1;

  CannotException(String why) {
    super(why);
  }
}
