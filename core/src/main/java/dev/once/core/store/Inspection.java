package dev.once.core.store;

import dev.once.core.Fence;
import dev.once.core.OperationId;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A person's view of a store. */
public interface Inspection {

  /** The record of an operation, if it has one that is not expired. */
  CompletionStage<Optional<OperationRecord>> find(OperationId id);

  /** How many records there are in each state, the expired ones left out. */
  CompletionStage<Counts> count();

  /**
   * Removes the record of an operation, whoever owns it, if it still has the fence that the person
   * saw, and has not expired. True if it was removed. An owner that still runs can no longer
   * record.
   */
  CompletionStage<Boolean> forceRelease(OperationId id, Fence seen);

  /**
   * Records by state.
   *
   * @param processing all that have no answer, the abandoned included
   * @param abandoned those of them whose lease is over
   */
  record Counts(long processing, long abandoned, long done, long failed) {}
}
