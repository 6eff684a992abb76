package dev.once.core;

/** One header or metadata entry of an answer. Repeated names stay separate and in order. */
public record Header(String name, String value) {

  public Header {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("header name: empty (expected: at least 1 character)");
    }
  }
}
