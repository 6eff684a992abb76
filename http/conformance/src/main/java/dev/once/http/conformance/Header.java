package dev.once.http.conformance;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A header field that is sent with a request or came with an answer. */
public record Header(String name, String value) {

  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Visible characters, spaces and tabs; nothing that could end the line. */
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");

  /** Fields that belong to the connection, and that the JDK's client sets by itself. */
  private static final Set<String> RESERVED = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    RESERVED.addAll(
        Set.of("Connection", "Content-Length", "Expect", "Host", "Transfer-Encoding", "Upgrade"));
  }

  /** Reads {@code Name: value}; {@code option} is named when it is something else. */
  static Header parse(String option, String line) {
    int colon = line.indexOf(':');
    if (colon < 1) {
      throw new TargetException(option, line, "Name: value");
    }
    return new Header(name(option, line.substring(0, colon)), line.substring(colon + 1).strip())
        .sendable(option);
  }

  static String name(String option, String name) {
    if (!TOKEN.matcher(name).matches()) {
      throw new TargetException(option, name, "the name of a header field");
    }
    return name;
  }

  private Header sendable(String option) {
    if (RESERVED.contains(name)) {
      throw new TargetException(option, name, "a field other than " + String.join(", ", RESERVED));
    }
    if (!VALUE.matcher(value).matches()) {
      throw new TargetException(option, name, "a value of visible ASCII characters");
    }
    return this;
  }

  /** Whether the field has this name, in any case. */
  public boolean named(String other) {
    return name.equalsIgnoreCase(other);
  }

  /** As it looks on the wire. */
  @Override
  public String toString() {
    return name + ": " + value;
  }
}
