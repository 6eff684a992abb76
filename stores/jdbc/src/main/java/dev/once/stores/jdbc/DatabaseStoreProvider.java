package dev.once.stores.jdbc;

import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code postgresql://…} and {@code mariadb://…}. Loads no driver before it is used. */
public final class DatabaseStoreProvider implements StoreProvider {

  private static final String NOT_MYSQL =
      DatabaseUrl.form("mariadb") + " for a MariaDB; MySQL is not supported";

  /** What URLs for others begin with, and what to write instead. */
  private static final Map<String, String> SUGGESTIONS =
      Map.of(
          "jdbc:postgresql:",
          DatabaseUrl.form("postgresql"),
          "jdbc:mariadb:",
          DatabaseUrl.form("mariadb"),
          "jdbc:mysql:",
          NOT_MYSQL,
          "mysql:",
          NOT_MYSQL);

  @Override
  public Set<String> schemes() {
    return DatabaseUrl.PRODUCTS.stream()
        .flatMap(product -> product.schemes().stream())
        .collect(Collectors.toSet());
  }

  @Override
  public List<String> forms() {
    return DatabaseUrl.PRODUCTS.stream()
        .map(product -> product.scheme() + "://HOST/DATABASE")
        .toList();
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE, StoreRole.DATABASE);
  }

  @Override
  public Optional<String> suggestion(String url) {
    return SUGGESTIONS.entrySet().stream()
        .filter(suggestion -> url.startsWith(suggestion.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  @Override
  public void validate(String url) {
    DatabaseUrl.parse(url);
  }

  @Override
  public Store open(String url) {
    return JdbcStore.open(url);
  }

  @Override
  public List<Finding> check(String url) {
    return JdbcStore.check(url);
  }

  @Override
  public String migrate(String url) {
    return JdbcStore.migrate(url).toString();
  }
}
