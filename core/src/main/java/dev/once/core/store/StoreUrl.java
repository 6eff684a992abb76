package dev.once.core.store;

import dev.once.core.store.spi.StoreProvider;

/**
 * Where keys are kept, as people write it: see {@link Stores#parse}. As a text it has no password
 * in it.
 *
 * @param text all of it, for whoever opens the store
 * @param provider opens it
 */
public record StoreUrl(String text, StoreProvider provider) {

  public String scheme() {
    return text.substring(0, text.indexOf(':'));
  }

  /** For people, who should not see passwords. */
  @Override
  public String toString() {
    return provider.hasSecrets() ? CredentialMasking.url(text) : text;
  }
}
