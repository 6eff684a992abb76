package dev.once.http.gateway.config;

import java.util.List;

/** The configuration cannot be used. There is one line for people for each problem. */
public final class ConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // List.copyOf gives a serializable list
  private final List<String> problems;

  ConfigurationException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
