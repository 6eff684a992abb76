package dev.once.testing.servers;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where a database is: {@code postgresql://user:password@host:port/database?options}. */
record DatabaseUrl(URI uri) {

  static DatabaseUrl of(String url) {
    URI uri = URI.create(url);
    if (uri.getHost() == null || uri.getPort() < 0 || uri.getUserInfo() == null) {
      throw new IllegalArgumentException(
          "url: " + url + " (expected: scheme://user:password@host:port/database)");
    }
    return new DatabaseUrl(uri);
  }

  String user() {
    return uri.getUserInfo().split(":", 2)[0];
  }

  String password() {
    String[] parts = uri.getUserInfo().split(":", 2);
    return parts.length == 2 ? parts[1] : "";
  }

  DatabaseUrl withDatabase(String name) {
    return of(uri.resolve("/" + name + query()).toString());
  }

  String jdbc() {
    String options = query().isEmpty() ? "?" : query() + "&";
    String password = password().isEmpty() ? "" : "&password=" + encoded(password());
    return "jdbc:%s://%s:%d%s%suser=%s%s"
        .formatted(
            uri.getScheme(),
            uri.getHost(),
            uri.getPort(),
            uri.getPath(),
            options,
            encoded(user()),
            password);
  }

  private String query() {
    return uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return uri.toString();
  }
}
