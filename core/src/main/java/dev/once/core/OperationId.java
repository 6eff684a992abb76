package dev.once.core;

import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** The identity of an operation: its key, within its scope. Two tenants' equal keys differ here. */
public final class OperationId {

  private final Scope scope;
  private final Key key;
  private final int hash;

  /** Made when first asked for; two threads may both make it, and make the same. */
  private @Nullable Bytes digest;

  public OperationId(Scope scope, Key key) {
    this.scope = scope;
    this.key = key;
    this.hash = 31 * scope.hashCode() + key.hashCode();
  }

  public Scope scope() {
    return scope;
  }

  public Key key() {
    return key;
  }

  /**
   * SHA-256 over the length-prefixed parts: a name of fixed size for stores, in which no part can
   * run into its neighbour.
   */
  public Bytes digest() {
    Bytes known = digest;
    if (known == null) {
      known = newDigest();
      digest = known;
    }
    return known;
  }

  private Bytes newDigest() {
    MessageDigest sha256 = Bytes.sha256();
    Bytes.utf8(scope.tenant()).addPartTo(sha256);
    Bytes.utf8(scope.user()).addPartTo(sha256);
    Bytes.utf8(scope.route()).addPartTo(sha256);
    key.bytes().addPartTo(sha256);
    return Bytes.wrap(sha256.digest());
  }

  /**
   * The key as logs, messages and consoles show it: masked, and with the first six hex digits of
   * {@link #digest()}, as in {@code 550e****0000#1f3a9c}. All lines about one operation have the
   * same digits, in every process; other operations have, most likely, others.
   */
  public String masked() {
    return Masking.mask(this);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof OperationId that
            && hash == that.hash
            && key.equals(that.key)
            && scope.equals(that.scope));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    String owner = Masking.printable(scope.tenant() + "/" + scope.user() + scope.route());
    return masked() + " of " + owner;
  }
}
