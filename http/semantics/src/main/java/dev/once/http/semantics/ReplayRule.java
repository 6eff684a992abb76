package dev.once.http.semantics;

import dev.once.http.semantics.text.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a replay has of each field of the first answer: the one table, for all surfaces. The guide
 * of the gateway shows it, and a test holds the two together. {@link Replay} does what it says.
 */
public enum ReplayRule {
  OF_THE_CONNECTION(
      false,
      "not recorded: about one connection only; `Connection` may name more such fields",
      "Connection",
      "Keep-Alive",
      "Proxy-Authenticate",
      "Proxy-Authentication-Info",
      "Proxy-Authorization",
      "Proxy-Connection",
      "TE",
      "Trailer",
      "Transfer-Encoding",
      "Upgrade",
      "HTTP2-Settings"),
  OF_THE_MESSAGE(false, "not recorded: set anew for each message", "Content-Length", "Via"),
  OF_THE_CALLER(
      false,
      "not recorded: secrets of the first caller, and orders to its browser",
      "Set-Cookie",
      "Set-Cookie2",
      "Authorization",
      "WWW-Authenticate",
      "Authentication-Info",
      "Clear-Site-Data"),
  OF_THE_MOMENT(
      false,
      "not recorded: true only when the first answer was sent",
      "Date",
      "Age",
      "Expires",
      "Server-Timing",
      "Alt-Svc"),
  OF_CACHES(
      true,
      "as recorded; but `no-store` in place of a `max-age` or `s-maxage`, which would begin anew"
          + " with each replay",
      "Cache-Control"),
  OF_THE_ORIGIN(
      true,
      "as recorded, if the first answer was for `*` or for the `Origin` of the retry; else left out,"
          + " and `--cors-origins` decides",
      "Access-Control-*",
      "Timing-Allow-Origin"),
  OF_THE_CODING(
      true,
      "as recorded, if `Accept-Encoding` of the retry names it; else gzip and deflate are decoded, if"
          + " that gives no more than `max-stored-body`; what cannot be decoded is as recorded",
      "Content-Encoding"),
  OF_THE_BYTES(
      true,
      "as recorded; left out if the body was decoded",
      "Content-Digest",
      "Content-MD5",
      "Digest",
      "Repr-Digest"),
  OF_THE_VERSION(true, "as recorded; weak (`W/`) if the body was decoded", "ETag"),
  OTHERS(true, "as recorded: what it says of the operation is still true", "all others");

  private static final Map<String, ReplayRule> BY_NAME =
      Arrays.stream(values())
          .flatMap(
              rule -> rule.fields().stream().map(field -> Map.entry(Tokens.lower(field), rule)))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private final boolean recorded;
  private final String replayed;

  /** Separated by commas. */
  private final String fields;

  ReplayRule(boolean recorded, String replayed, String... fields) {
    this.recorded = recorded;
    this.replayed = replayed;
    this.fields = String.join(", ", fields);
  }

  /** The rule for a field; names are in any case. */
  static ReplayRule of(String field) {
    String name = Tokens.lower(field);
    return name.startsWith("access-control-") ? OF_THE_ORIGIN : BY_NAME.getOrDefault(name, OTHERS);
  }

  boolean isRecorded() {
    return recorded;
  }

  /** The names that it is for, as one reads them. */
  public List<String> fields() {
    return List.of(fields.split(", ", -1));
  }

  /** What becomes of them, in words. */
  public String replayed() {
    return replayed;
  }
}
