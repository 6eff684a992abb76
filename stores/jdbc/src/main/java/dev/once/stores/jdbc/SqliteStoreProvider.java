package dev.once.stores.jdbc;

import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code sqlite:FILE}. Loads no SQLite before it is used. */
public final class SqliteStoreProvider implements StoreProvider {

  private static final String SCHEME = "sqlite:";
  private static final String FORM = "sqlite:FILE";

  @Override
  public Set<String> schemes() {
    return Set.of("sqlite");
  }

  @Override
  public List<String> forms() {
    return List.of(FORM);
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE, StoreRole.DATABASE);
  }

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public boolean hasSecrets() {
    return false;
  }

  @Override
  public Optional<String> suggestion(String url) {
    return url.regionMatches(true, 0, "jdbc:sqlite:", 0, 12) ? Optional.of(FORM) : Optional.empty();
  }

  @Override
  public void validate(String url) {
    file(url);
  }

  @Override
  public Store open(String url) {
    return JdbcStore.sqlite(file(url));
  }

  @Override
  public List<Finding> check(String url) {
    return JdbcStore.checkSqlite(file(url));
  }

  @Override
  public String migrate(String url) {
    return JdbcStore.migrateSqlite(file(url)).toString();
  }

  private static Path file(String url) {
    if (url.length() > SCHEME.length()) {
      try {
        return Path.of(url.substring(SCHEME.length()));
      } catch (InvalidPathException e) {
        // Said below.
      }
    }
    throw StoreUrlException.of(url, FORM);
  }
}
