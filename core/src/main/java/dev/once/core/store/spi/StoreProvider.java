package dev.once.core.store.spi;

import dev.once.core.store.Cache;
import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Opens the stores of one kind by their URLs. {@link Stores} finds it by {@link
 * java.util.ServiceLoader}: a module that has a store {@code provides} it in its {@code
 * module-info}, and names it in {@code META-INF/services} for the class path.
 *
 * <p>A provider is made whenever a URL of any kind is read. So it loads neither a driver nor a
 * client before {@link #open}. Thread-safe.
 */
public interface StoreProvider {

  /** What its URLs begin with, in lower case and without the colon, such as {@code redis}. */
  Set<String> schemes();

  /** How its URLs look, for people, each in short, such as {@code redis://HOST}. */
  List<String> forms();

  /** What its URLs can be used for. */
  Set<StoreRole> roles();

  /**
   * Whether the store is part of this process: it needs no server, and makes its own tables when it
   * is opened.
   */
  default boolean isEmbedded() {
    return false;
  }

  /** Whether its URLs may have a user and a password in them, which are never shown. */
  default boolean hasSecrets() {
    return true;
  }

  /**
   * What to write instead of a URL whose scheme nobody has, if it looks like a store of this kind:
   * {@code mariadb://…} for {@code mysql://…}.
   */
  default Optional<String> suggestion(String url) {
    return Optional.empty();
  }

  /**
   * Reads a URL with one of the {@link #schemes}, and connects to nothing.
   *
   * @throws StoreUrlException if it is wrong
   */
  void validate(String url);

  /**
   * Opens the store at this URL.
   *
   * @throws StoreUrlException if the URL is wrong
   * @throws StoreException if it cannot be used, with the reason and what to do
   */
  Store open(String url);

  /**
   * Opens the {@link Cache} at this URL, if it can be one.
   *
   * @throws StoreUrlException if the URL is wrong
   */
  default Cache openCache(String url) {
    throw new UnsupportedOperationException(schemes() + ": not a cache");
  }

  /**
   * Says how fit the store at this URL is to hold keys. Changes nothing that lasts.
   *
   * @throws StoreException if it cannot be reached
   */
  List<Finding> check(String url);

  /**
   * Creates or upgrades what the store needs before it can be used. Harmless if that is done.
   *
   * @return what was done, for people
   * @throws StoreException if it cannot be done
   */
  String migrate(String url);
}
