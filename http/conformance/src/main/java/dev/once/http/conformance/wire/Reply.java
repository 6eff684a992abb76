package dev.once.http.conformance.wire;

import dev.once.http.conformance.Header;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** An answer as it came. */
public final class Reply {

  /** The fields that help to understand an answer. */
  private static final List<String> SHOWN =
      List.of("Content-Type", "Location", "Retry-After", "Link", "Set-Cookie");

  private final int status;
  private final List<Header> headers;
  private final byte[] body;
  private final Duration duration;
  private final boolean http2;

  Reply(int status, List<Header> headers, byte[] body, Duration took, boolean http2) {
    this.status = status;
    this.headers = List.copyOf(headers);
    this.body = body;
    this.duration = took;
    this.http2 = http2;
  }

  public int status() {
    return status;
  }

  public boolean ok() {
    return status < 400;
  }

  public boolean refused() {
    return status >= 400 && status < 500;
  }

  public Duration duration() {
    return duration;
  }

  public boolean http2() {
    return http2;
  }

  public String text() {
    return Text.of(body);
  }

  public List<String> all(String name) {
    return headers.stream().filter(h -> h.named(name)).map(Header::value).toList();
  }

  public Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  public boolean hasHeader(Header header) {
    return all(header.name()).stream().anyMatch(value -> value.equalsIgnoreCase(header.value()));
  }

  /** Same status, and same body byte for byte. */
  public boolean equalTo(Reply other) {
    return status == other.status && Arrays.equals(body, other.body);
  }

  /**
   * Whether this shows the same result, perhaps under another status: a server may spoil the status
   * of its replays, which one rule reports, and the others need not repeat. Without a body, the
   * place of what was made has to tell.
   */
  public boolean sameResult(Reply other) {
    boolean bodies = body.length > 0 || other.body.length > 0;
    return bodies
        ? Arrays.equals(body, other.body)
        : status == other.status && first("Location").equals(other.first("Location"));
  }

  /** For people. */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder().append(status);
    for (Header header : headers) {
      if (SHOWN.stream().anyMatch(header::named) || header.name().matches("(?i).*replay.*")) {
        line.append(", ").append(Text.printable(header.toString()));
      }
    }
    line.append(body.length == 0 ? ", no body" : ", " + Text.printable(text()));
    return line.toString();
  }
}
