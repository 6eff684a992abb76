package dev.once.core;

import java.util.Objects;

/** One header or metadata entry of an answer. Repeated names stay separate and in order. */
public record Header(String name, String value) {

  public Header {
    Objects.requireNonNull(value, "header value: null (expected: text)");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("header name: empty (expected: at least 1 character)");
    }
  }
}
