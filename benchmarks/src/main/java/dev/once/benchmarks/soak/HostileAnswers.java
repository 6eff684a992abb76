package dev.once.benchmarks.soak;

import java.util.List;

/**
 * Answers that no server should give. Each has the word {@link #POISON}: where an honest client
 * meets it, an answer went astray.
 */
enum HostileAnswers {
  BODY_AFTER_204("HTTP/1.1 204 No Content\r\n\r\n" + Text.EVIL, false),
  PAST_THE_LENGTH("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok" + Text.EVIL, false),
  TWO_ANSWERS("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + Text.EVIL + Text.EVIL, false),
  EARLY_HINTS("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + Text.EVIL, false),
  PROCESSING("HTTP/1.1 102 Processing\r\n\r\n".repeat(20) + Text.EVIL, false),
  BAD_CHUNK("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\npoison\r\n0\r\n\r\n", true),
  ENDLESS_CHUNK_LINE(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + "1".repeat(5000), true),
  CHUNK_EXTENSION(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;a=b\r\npoison\r\n0\r\n\r\n", false),
  HUGE_HEAD("HTTP/1.1 200 OK\r\nX-A: " + "poison".repeat(20_000) + "\r\n\r\n", true),
  MANY_FIELDS("HTTP/1.1 200 OK\r\n" + "X-A: poison\r\n".repeat(4_000) + "\r\n", true),
  BRACKETS("HTTP/1.1 200 OK\r\nX-Foo[bar]: poison\r\nContent-Length: 6\r\n\r\npoison", false),
  BARE_LF("HTTP/1.1 200 OK\nContent-Length: 6\n\npoison", false),
  LENGTH_AND_CHUNKS(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n6\r\npoison\r\n0\r\n\r\n",
      true),
  TWO_LENGTHS("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 6\r\n\r\npoison", true),
  CUT_IN_THE_HEAD("HTTP/1.1 200 OK\r\nX-Poi", true),
  CUT_IN_THE_BODY("HTTP/1.1 200 OK\r\nContent-Length: 6000\r\n\r\npoison", true),
  NO_HTTP("poison\r\n\r\n", true),
  NOTHING("", true),
  ODD_STATUS("HTTP/1.1 999 poison\r\nContent-Length: 6\r\n\r\npoison", true),
  SWITCHING("HTTP/1.1 101 Switching Protocols\r\nUpgrade: poison\r\n\r\npoison", true);

  /** In every hostile answer, and in no other. */
  static final String POISON = "poison";

  private static final class Text {
    static final String EVIL =
        "HTTP/1.1 200 OK\r\nSet-Cookie: sid=poison\r\nContent-Length: 6\r\n\r\npoison";
  }

  static final List<HostileAnswers> ALL = List.of(values());

  /** What is sent. */
  final String bytes;

  /** Whether the connection is closed after it. */
  final boolean closes;

  HostileAnswers(String bytes, boolean closes) {
    this.bytes = bytes;
    this.closes = closes;
  }
}
