package dev.once.http.gateway.config;

/**
 * Where a value was given, so that messages and tables can say it.
 *
 * @param name the flag, the file, the variable or the profile
 * @param line in the file, from 1; 0 elsewhere
 */
public record Origin(Kind kind, String name, int line) {

  /** The places, in the order in which problems are told. */
  public enum Kind {
    FLAG,
    FILE,
    ENVIRONMENT,
    PROFILE,
    DEFAULT
  }

  static final Origin DEFAULT = new Origin(Kind.DEFAULT, "default", 0);

  static Origin flag(String label) {
    return new Origin(Kind.FLAG, "--" + label, 0);
  }

  static Origin line(String file, int line) {
    return new Origin(Kind.FILE, file, line);
  }

  static Origin variable(String name) {
    return new Origin(Kind.ENVIRONMENT, name, 0);
  }

  static Origin profile(String name) {
    return new Origin(Kind.PROFILE, "profile " + name, 0);
  }

  /** One line for people: the place, the setting if the place does not name it, the error. */
  String describeError(String label, String error) {
    return switch (kind) {
      case FLAG, ENVIRONMENT -> name + ": " + error;
      case FILE -> this + ": " + label + ": " + error;
      case PROFILE, DEFAULT -> label + ": " + error;
    };
  }

  @Override
  public String toString() {
    return kind == Kind.FILE ? name + ":" + line : name;
  }
}
