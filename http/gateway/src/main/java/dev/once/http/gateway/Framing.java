package dev.once.http.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that two servers could read as two things. What the decoder refuses by itself
 * (two lengths, a length beside chunks, bad names) does not come here.
 */
final class Framing {

  private Framing() {}

  /** What is wrong with a request; null if nothing is. */
  static @Nullable String findError(HttpServerRequest request, ClientFields fields) {
    HttpVersion version = request.version();
    if (version == null) {
      return "The versions here are HTTP/1.0, HTTP/1.1 and HTTP/2.";
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      return "CONNECT is not for a gateway.";
    }
    if (request.headers().contains("")) {
      return "A header has no name.";
    }
    String host = request.getHeader(HttpHeaders.HOST);
    boolean one = host != null && request.headers().getAll(HttpHeaders.HOST).size() == 1;
    if (!one && (host != null || version == HttpVersion.HTTP_1_1)) {
      return "There must be one Host header.";
    }
    String named =
        version == HttpVersion.HTTP_2 && request.authority() != null
            ? request.authority().toString()
            : null;
    if ((host != null && !HostField.isWellFormed(host))
        || (named != null && !HostField.isWellFormed(named))) {
      return "The host is not a name or an address, with or without a port.";
    }
    String misnamed = ConnectionField.findError(request.headers(), fields);
    if (misnamed != null) {
      return misnamed;
    }
    String error = findTargetError(request.uri(), request.method());
    if (error != null || version == HttpVersion.HTTP_2) {
      return error;
    }
    String authority = authority(request.uri());
    if (authority != null && host != null && !authority.equalsIgnoreCase(host)) {
      return "The request target and the Host header name two hosts.";
    }
    List<String> encodings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    if (encodings.isEmpty()) {
      return null;
    }
    boolean chunked = encodings.size() == 1 && encodings.get(0).equalsIgnoreCase("chunked");
    return chunked && version == HttpVersion.HTTP_1_1
        ? null
        : "The only Transfer-Encoding here is chunked, once, in HTTP/1.1.";
  }

  /** Servers drop or turn round some characters, each in its own way: to a route of their own. */
  private static @Nullable String findTargetError(String uri, HttpMethod method) {
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '#' || c == '\\') {
        return "The request target has a character that must be percent-encoded.";
      }
    }
    return uri.equals("*") && !method.equals(HttpMethod.OPTIONS)
        ? "The request target * is for OPTIONS."
        : null;
  }

  /** Path and query of a request target; null if it has none. */
  static @Nullable String target(String uri) {
    if (uri.startsWith("/") || uri.equals("*")) {
      return uri;
    }
    int authority = startOfAuthority(uri);
    if (authority < 0) {
      return null;
    }
    int end = endOfAuthority(uri, authority);
    String rest = uri.substring(end);
    return rest.startsWith("/") ? rest : "/" + rest;
  }

  /** The host and port of a target that is a whole URL; null for a path. */
  private static @Nullable String authority(String uri) {
    int authority = startOfAuthority(uri);
    return authority < 0 ? null : uri.substring(authority, endOfAuthority(uri, authority));
  }

  private static int startOfAuthority(String uri) {
    if (uri.startsWith("/")) {
      return -1;
    }
    String lower = uri.toLowerCase(Locale.ROOT);
    boolean url = lower.startsWith("http://") || lower.startsWith("https://");
    return url ? uri.indexOf("//") + 2 : -1;
  }

  private static int endOfAuthority(String uri, int start) {
    int end = start;
    while (end < uri.length() && uri.charAt(end) != '/' && uri.charAt(end) != '?') {
      end++;
    }
    return end;
  }
}
