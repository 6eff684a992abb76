package dev.once.core;

import java.util.concurrent.CompletionStage;

/** A {@link Handler} that answers later. */
@FunctionalInterface
public interface AsyncHandler {
  CompletionStage<Answer> handle(Execution execution);
}
