package dev.once.http.conformance;

/** The version of HTTP that is spoken. */
public enum Protocol {
  HTTP_1_1("1.1"),

  /** By upgrade from HTTP/1.1 without TLS, by ALPN with it. */
  HTTP_2("2");

  private final String version;

  Protocol(String version) {
    this.version = version;
  }

  /** What a flag says: {@code 1.1} or {@code 2}. */
  public static Protocol named(String word) {
    for (Protocol protocol : values()) {
      if (protocol.version.equals(word)) {
        return protocol;
      }
    }
    throw new TargetException("http", word, "1.1 or 2");
  }

  /** The version alone, as in {@code 1.1}. */
  public String version() {
    return version;
  }
}
