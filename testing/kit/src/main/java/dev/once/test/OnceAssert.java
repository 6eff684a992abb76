package dev.once.test;

import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions about the operations of a store. */
public final class OnceAssert extends AbstractAssert<OnceAssert, RecordingStore> {

  OnceAssert(RecordingStore store) {
    super(store, OnceAssert.class);
  }

  /** The operation with this key, whosever it is; if several have one, say whose. */
  public OperationAssert operation(String key) {
    List<History> found = actual.histories(key);
    if (found.size() > 1) {
      throw failure(
          "Key \"%s\" was used in %d scopes:%n%s%nSay which one: operation(scope, key).",
          key,
          found.size(),
          found.stream()
              .map(history -> "  " + Texts.of(history.operation().scope()))
              .sorted()
              .collect(Collectors.joining(System.lineSeparator())));
    }
    return found.isEmpty() ? operation(Scope.GLOBAL, key) : operation(found.get(0).operation());
  }

  /** The operation with this key, in this scope. */
  public OperationAssert operation(Scope scope, String key) {
    return operation(new OperationId(scope, Key.of(key)));
  }

  public OperationAssert operation(OperationId id) {
    return new OperationAssert(actual, id);
  }

  /** Nothing was asked for, with any key. */
  public OnceAssert hasNoOperations() {
    if (!actual.histories().isEmpty()) {
      throw failure("Expected no operation, but there were: %s", Texts.keys(actual));
    }
    return this;
  }
}
