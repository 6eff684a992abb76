package dev.once.cli;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.RequestHead;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request that somebody wrote down.
 *
 * @param target path and query, as they would be sent
 */
record RawRequest(String method, String target, List<Header> headers, Bytes body)
    implements RequestHead {

  RawRequest {
    headers = List.copyOf(headers);
  }

  /** Path and query of a URL, or of a target of any form. */
  static String target(String url) {
    if (url.startsWith("/")) {
      return url;
    }
    try {
      URI parsed = URI.create(url);
      if (parsed.getHost() != null) {
        String path = parsed.getRawPath().isEmpty() ? "/" : parsed.getRawPath();
        return parsed.getRawQuery() == null ? path : path + "?" + parsed.getRawQuery();
      }
    } catch (IllegalArgumentException e) {
      // Refused below, like a URL without a host.
    }
    throw new UsageException(
        "'" + url + "' (expected: a path such as /payments, or http://localhost:8080/payments)");
  }

  @Override
  public String path() {
    int question = target.indexOf('?');
    return question < 0 ? target : target.substring(0, question);
  }

  @Override
  public @Nullable String query() {
    int question = target.indexOf('?');
    return question < 0 ? null : target.substring(question + 1);
  }

  @Override
  public List<String> headers(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return headers.stream()
        .filter(header -> header.name().toLowerCase(Locale.ROOT).equals(wanted))
        .map(Header::value)
        .toList();
  }

  @Override
  public boolean hasBody() {
    return body.size() > 0;
  }

  @Override
  public @Nullable String client() {
    return null;
  }
}
