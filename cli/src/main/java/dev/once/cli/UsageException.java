package dev.once.cli;

/** A command was called in a wrong way. The message is one line for people. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
