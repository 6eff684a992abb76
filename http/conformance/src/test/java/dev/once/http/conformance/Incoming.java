package dev.once.http.conformance;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request as the reference server sees it.
 *
 * @param headers by name in lower case
 * @param query empty for none
 */
record Incoming(
    String method, String path, String query, Map<String, List<String>> headers, String body) {

  List<String> all(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }

  String first(String name) {
    return all(name).isEmpty() ? "" : all(name).get(0);
  }
}
