package dev.once.core;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A {@link Handler} that answers later. */
@FunctionalInterface
public interface AsyncHandler<T extends @Nullable Object> {
  CompletionStage<T> handle(Execution execution);
}
