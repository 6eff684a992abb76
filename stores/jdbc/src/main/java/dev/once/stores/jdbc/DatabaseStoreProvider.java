package dev.once.stores.jdbc;

import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code postgresql://…} and {@code mariadb://…}. Loads no driver before it is used. */
public final class DatabaseStoreProvider implements StoreProvider {

  private static final String NOT_MYSQL =
      DatabaseUrl.form("mariadb") + " for a MariaDB; MySQL is not supported";

  private static final String IN_FILE = "sqlite:FILE for keys in a file of this machine";

  private static final String NOT_H2 =
      IN_FILE + "; an H2 is used by an application that has a DataSource of it: JdbcStore.on";

  private static final String UNKNOWN =
      "%s, %s, or %s; no other database is supported"
          .formatted(DatabaseUrl.form("postgresql"), DatabaseUrl.form("mariadb"), IN_FILE);

  /** How URLs for others begin, and what to write instead; the first that fits. */
  private static final Map<Pattern, String> SUGGESTIONS = new LinkedHashMap<>();

  static {
    suggest("(jdbc:|r2dbc:)?(postgres|pgsql|psql)", DatabaseUrl.form("postgresql"));
    suggest("(jdbc:|r2dbc:)?maria", DatabaseUrl.form("mariadb"));
    suggest("(jdbc:|r2dbc:)?(aws-wrapper:)?mysql", NOT_MYSQL);
    suggest("(jdbc:|r2dbc:)?h2\\b", NOT_H2);
    suggest("jdbc:(?!sqlite:)|r2dbc:|oracle:|sqlserver:|db2:|derby:|hsqldb:", UNKNOWN);
  }

  private static void suggest(String beginning, String instead) {
    SUGGESTIONS.put(Pattern.compile(beginning, Pattern.CASE_INSENSITIVE), instead);
  }

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
        .filter(suggestion -> suggestion.getKey().matcher(url).lookingAt())
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
