package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client got.
 *
 * @param marked whether it carries the marker of a replay
 */
record Reply(int status, Map<String, List<String>> headers, Bytes bytes, boolean marked) {

  private static final Pattern ID = Pattern.compile("\"id\":\"(\\d+)\"");
  private static final Pattern TYPE = Pattern.compile("\"type\":\"[^\"]*#([a-z-]+)\"");
  private static final Pattern RETENTION = Pattern.compile("\"retention\":\"(\\w+)\"");

  static Reply of(HttpResponse<byte[]> response, String marker) {
    boolean marked = response.headers().allValues(marker).equals(List.of("true"));
    return new Reply(
        response.statusCode(), response.headers().map(), Bytes.wrap(response.body()), marked);
  }

  static void assertReplayed(Reply later, Reply first) {
    assertThat(later.marked()).as("marked as a replay: %s", later).isTrue();
    assertThat(later.status()).isEqualTo(first.status());
    assertThat(later.bytes()).isEqualTo(first.bytes());
  }

  boolean ok() {
    return status / 100 == 2;
  }

  String text() {
    return bytes.toUtf8();
  }

  /** The values of a header field; names are in lower case. */
  List<String> all(String name) {
    return headers.getOrDefault(name, List.of());
  }

  /** Which execution of the upstream this is the answer of; empty if of none. */
  String id() {
    return find(ID);
  }

  /** The place on the policy page that a problem points to; empty if it is no problem. */
  String problem() {
    return all("content-type").contains("application/problem+json") ? find(TYPE) : "";
  }

  /** The retention that a problem states. */
  String retention() {
    return find(RETENTION);
  }

  private String find(Pattern pattern) {
    Matcher matcher = pattern.matcher(text());
    return matcher.find() ? matcher.group(1) : "";
  }

  @Override
  public String toString() {
    return status + (marked ? " (replay) " : " ") + text();
  }
}
