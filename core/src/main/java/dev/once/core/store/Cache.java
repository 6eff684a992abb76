package dev.once.core.store;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Keeps a value for an operation, for a while, shared between processes. It may lose any value at
 * any time, and may return a value that was replaced, so it decides nothing.
 *
 * <p>The first byte of a value, unsigned, is its <em>rank</em>. Of two values the one of the higher
 * rank stays, and of the same rank the one that lives longer: the order in which puts arrive does
 * not matter.
 *
 * <p>No step blocks the caller. A stage that fails says nothing about whether the step was taken; a
 * put that cannot be sent now must fail, and never be sent later. One that was under way for longer
 * than {@link #LATEST} must not be taken any more. After {@link #close} every step fails.
 */
public interface Cache extends AutoCloseable {

  /** How long after it was asked for a put may arrive. */
  Duration LATEST = Duration.ofSeconds(10);

  /** The value, if there is one. */
  CompletionStage<Optional<Bytes>> get(OperationId id);

  /**
   * Keeps the value for so long, unless there is one of a higher rank, or one of the same rank that
   * lives at least as long. A value of one or two bytes is a mark: it is kept also where there is
   * no room for more.
   *
   * @param value not empty
   * @param life at least a millisecond; it begins when the put is asked for, however long that is
   *     then under way
   */
  CompletionStage<Void> put(OperationId id, Bytes value, Duration life);

  @Override
  void close();
}
