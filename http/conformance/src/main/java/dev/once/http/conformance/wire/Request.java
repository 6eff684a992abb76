package dev.once.http.conformance.wire;

import dev.once.http.conformance.Header;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One request as it will be sent.
 *
 * @param keys the header lines with the key: one, or none or two where a rule is about that
 * @param body empty for none
 */
public record Request(
    String method, URI uri, List<Header> headers, List<Header> keys, String body) {

  public Request {
    headers = List.copyOf(headers);
    keys = List.copyOf(keys);
  }

  public Request withMethod(String other) {
    return new Request(other, uri, headers, keys, body);
  }

  public Request withUri(URI other) {
    return new Request(method, other, headers, keys, body);
  }

  public Request withBody(String other) {
    return new Request(method, uri, headers, keys, other);
  }

  public Request withKeys(List<Header> others) {
    return new Request(method, uri, headers, others, body);
  }

  /** With {@code others} in place of the fields of the same names. */
  public Request withHeaders(List<Header> others) {
    List<Header> all = new ArrayList<>(headers);
    all.removeIf(header -> others.stream().anyMatch(other -> other.named(header.name())));
    all.addAll(others);
    return new Request(method, uri, all, keys, body);
  }

  /** For people; shows no credentials. */
  @Override
  public String toString() {
    String key =
        keys.isEmpty()
            ? "no key"
            : keys.stream().map(Header::toString).collect(Collectors.joining(" and "));
    return Text.printable(method + " " + uri + " with " + cut(key))
        + (body.isEmpty() ? "" : " and " + Text.printable(body));
  }

  /** A key of thousands of characters would hide all else. */
  private static String cut(String key) {
    return key.length() <= 120 ? key : key.substring(0, 80) + "… (" + key.length() + " characters)";
  }
}
