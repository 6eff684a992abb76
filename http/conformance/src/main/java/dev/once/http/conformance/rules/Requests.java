package dev.once.http.conformance.rules;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.wire.Request;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Makes requests for a server as it is described. */
final class Requests {

  private final Target target;
  private final KeyStyle style;

  Requests(Target target, KeyStyle style) {
    this.target = target;
    this.style = style;
  }

  /** A new operation: its key and its payload were never sent before. */
  Request fresh() {
    return fresh(Variation.NONE);
  }

  Request fresh(Variation variation) {
    List<Header> headers = new ArrayList<>(target.headers());
    String body = body(variation);
    if (!body.isEmpty()) {
      headers.removeIf(header -> header.named("Content-Type"));
      headers.add(new Header("Content-Type", target.contentType()));
    }
    headers.addAll(variation.headers());
    String url = variation.url() == null ? target.url() : variation.url();
    return new Request(
        target.method(), URI.create(unique(url)), headers, List.of(line(newKey())), unique(body));
  }

  /** The same key with a payload that was never sent before. */
  Request otherPayload(Request request, Variation variation) {
    return request.withBody(unique(body(variation)));
  }

  boolean payloadsDiffer(Variation variation) {
    return body(variation).contains(Target.UNIQUE);
  }

  /** The same request under a new key. */
  Request underNewKey(Request request) {
    return request.withKeys(List.of(line(newKey())));
  }

  Request under(Request request, Key key) {
    return request.withKeys(List.of(line(key)));
  }

  /** With a value in the field of the key that need not be a key. */
  Request underValue(Request request, String value) {
    return request.withKeys(List.of(new Header(target.keys().header(), value)));
  }

  Key newKey() {
    return Key.next(style);
  }

  Key tooLongKey() {
    return Key.tooLong(style);
  }

  Header line(Key key) {
    return new Header(target.keys().header(), key.line());
  }

  private String body(Variation variation) {
    return variation.body() == null ? target.body() : variation.body();
  }

  private static String unique(String template) {
    String unique = "once" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    return template.replace(Target.UNIQUE, unique);
  }
}
