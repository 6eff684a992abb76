package dev.once.test;

import dev.once.core.Once;
import dev.once.core.Result;

/**
 * Assertions about what happened to operations; import {@code assertThat} from here and from
 * AssertJ side by side.
 *
 * <pre>{@code
 * assertThat(once).operation("key-1").wasExecutedOnce().wasReplayed(1).hasAnswer(201, "charged");
 * }</pre>
 */
public final class OnceAssertions {

  private OnceAssertions() {}

  /** About the operations of an engine that came from {@link OnceExtension} or a store's once(). */
  public static OnceAssert assertThat(Once once) {
    RecordingStore store = RecordingStore.of(once);
    if (store == null) {
      throw new IllegalArgumentException(
          "once: made elsewhere (expected: by RecordingStore.once() or @OnceTest); if its store is"
              + " a RecordingStore, use assertThat(store)");
    }
    return assertThat(store);
  }

  /** About the operations of a store, whoever made the engines on it. */
  public static OnceAssert assertThat(RecordingStore store) {
    return new OnceAssert(store);
  }

  /** About what one call came to. */
  public static ResultAssert assertThat(Result result) {
    return new ResultAssert(result);
  }
}
