package dev.once.http.surfaces;

import java.util.Locale;

/** What a handler does; the last part of a request's path says which. */
enum Behaviour {
  CREATES(201),
  REJECTS(402),
  FAILS(503),
  REDIRECTS(307),
  ASKS_WHO_IT_IS(401),
  SAYS_NOT_NOW(429),

  /** Answers when the gate is opened. */
  WAITS(201),

  /** Answers later than the container waits. */
  ANSWERS_TOO_LATE(503),

  /** Ends with an exception. */
  THROWS(0),

  /** Says that it did nothing, the first time. */
  DOES_NOT_RUN(201),

  /** Does its work, and ends with an {@link Error}, or half an answer. */
  BREAKS_OFF(200),

  /** Answers with a header field that must not be recorded. */
  SENDS_INVALID_HEADER(201),

  /** Answers with a header field that is odd, and does no harm. */
  SENDS_ODD_HEADER(201),

  /** Answers more than is kept, at once. */
  ANSWERS_A_LOT(200),

  /** Answers piece by piece, more than is kept. */
  STREAMS(200),

  /** The same, and ends with an exception before the end. */
  STREAMS_AND_THROWS(200),

  /** The same, and ends with an {@link Error} before the end. */
  STREAMS_AND_BREAKS_OFF(200);

  final int status;

  Behaviour(int status) {
    this.status = status;
  }

  String path() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Behaviour of(String path) {
    String word = path.substring(path.lastIndexOf('/') + 1);
    return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
