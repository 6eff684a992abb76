package dev.once.http.gateway;

import dev.once.core.Header;
import dev.once.http.semantics.FieldRules;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which header fields cross the gateway, and which it adds. */
final class Forwarding {

  static final String FENCE = "Idempotency-Fence";
  static final String ATTEMPT = "Idempotency-Attempt";

  private static final CharSequence FORWARDED = HttpHeaders.createOptimized("Forwarded");
  private static final CharSequence FORWARDED_FOR = HttpHeaders.createOptimized("X-Forwarded-For");
  private static final CharSequence FORWARDED_PROTO =
      HttpHeaders.createOptimized("X-Forwarded-Proto");
  private static final CharSequence FORWARDED_HOST =
      HttpHeaders.createOptimized("X-Forwarded-Host");

  /** Said anew on the other side. */
  private static final Set<String> OWN = Set.of("content-length", "expect");

  private Forwarding() {}

  /** To the upstream: what the client sent, but for what is about its connection. */
  static void request(HttpServerRequest from, ServerHead head, MultiMap to) {
    MultiMap headers = from.headers();
    for (Map.Entry<String, String> field : headers) {
      String name = FieldRules.lower(field.getKey());
      if (!FieldRules.isHopByHop(name)
          && !OWN.contains(name)
          && !head.isConnectionField(name)
          && head.clientFields().mayPass(name, head.isFromProxy())
          && name.charAt(0) != ':') {
        to.add(field.getKey(), field.getValue());
      }
    }
    if (from.version() == HttpVersion.HTTP_2) {
      fromHttp2(from, to);
    }
    String client = head.client() == null ? "unknown" : head.client();
    List<String> chain = to.getAll(FORWARDED_FOR);
    to.set(FORWARDED_FOR, chain.isEmpty() ? client : String.join(", ", chain) + ", " + client);
    continueForwarded(client, to);
    addIfAbsent(to, FORWARDED_PROTO, from.isSSL() ? "https" : "http");
    addIfAbsent(to, FORWARDED_HOST, headers.get(HttpHeaders.HOST));
    HopRules.addToRequest(from, to);
  }

  /** HTTP/2 has the host in another place, and may split cookies (RFC 9113, 8.2.3). */
  private static void fromHttp2(HttpServerRequest from, MultiMap to) {
    if (from.authority() != null) {
      to.set(HttpHeaders.HOST, from.authority().toString());
      addIfAbsent(to, FORWARDED_HOST, from.authority().toString());
    }
    List<String> cookies = to.getAll(HttpHeaders.COOKIE);
    if (cookies.size() > 1) {
      to.set(HttpHeaders.COOKIE, String.join("; ", cookies));
    }
  }

  /** The chain of RFC 7239 goes on, where a proxy began it. */
  private static void continueForwarded(String client, MultiMap to) {
    if (to.contains(FORWARDED)) {
      String node = client.indexOf(':') < 0 ? client : "\"[" + client + "]\"";
      to.set(FORWARDED, String.join(", ", to.getAll(FORWARDED)) + ", for=" + node);
    }
  }

  private static void addIfAbsent(MultiMap to, CharSequence name, @Nullable String value) {
    if (value != null && !to.contains(name)) {
      to.add(name, value);
    }
  }

  /** To the client: what the upstream sent, but for what is about its connection. */
  static void response(MultiMap from, MultiMap to, boolean withLength) {
    Set<String> named = FieldRules.namedByConnection(from.getAll(HttpHeaders.CONNECTION));
    for (Map.Entry<String, String> field : from) {
      String name = FieldRules.lower(field.getKey());
      boolean length = name.equals("content-length");
      if (!FieldRules.isHopByHop(name) && !named.contains(name) && (withLength || !length)) {
        to.add(field.getKey(), field.getValue());
      }
    }
    HopRules.addToAnswer(to);
  }

  /** All fields of an upstream's answer, separate and in order. */
  static List<Header> fields(MultiMap headers) {
    List<Header> fields = new ArrayList<>(headers.size());
    for (Map.Entry<String, String> field : headers) {
      fields.add(new Header(field.getKey(), field.getValue()));
    }
    return fields;
  }
}
