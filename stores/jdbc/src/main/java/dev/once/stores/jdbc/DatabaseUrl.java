package dev.once.stores.jdbc;

import dev.once.core.store.StoreUrlException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code postgresql://…} or {@code mariadb://…}, taken apart.
 *
 * @param jdbc the same for a driver, without the user
 * @param user null for none
 * @param password null for none
 */
record DatabaseUrl(Product product, String jdbc, @Nullable String user, @Nullable String password) {

  static final List<Product> PRODUCTS = List.of(Product.POSTGRESQL, Product.MARIADB);

  private static final String FORM = "%s://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE";

  /** How such a URL looks, in full. */
  static String form(String scheme) {
    return FORM.formatted(scheme);
  }

  /**
   * Reads it.
   *
   * @throws StoreUrlException if it is not the URL of a database
   */
  static DatabaseUrl parse(String text) {
    String scheme = text.substring(0, Math.max(0, text.indexOf(':')));
    for (Product product : PRODUCTS) {
      if (product.schemes().contains(scheme)) {
        return parse(product, scheme, text);
      }
    }
    throw StoreUrlException.of(text, form("postgresql") + " or mariadb://…");
  }

  private static DatabaseUrl parse(Product product, String scheme, String text) {
    try {
      URI uri = new URI(text);
      if (uri.getHost() != null && uri.getPath() != null && uri.getPath().length() > 1) {
        String info = uri.getRawUserInfo();
        String[] user = info == null ? new String[0] : info.split(":", 2);
        return new DatabaseUrl(
            product,
            jdbc(product, uri),
            user.length > 0 ? decoded(user[0]) : null,
            user.length > 1 ? decoded(user[1]) : null);
      }
    } catch (URISyntaxException e) {
      // Said below, without its message: it repeats the URL.
    }
    throw StoreUrlException.of(text, form(scheme) + ", with %40 for an @ in a password, and so on");
  }

  private static String jdbc(Product product, URI uri) {
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return "jdbc:" + product.scheme() + "://" + uri.getHost() + port + uri.getRawPath() + query;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return jdbc;
  }
}
