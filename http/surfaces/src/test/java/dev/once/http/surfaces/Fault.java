package dev.once.http.surfaces;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What can go wrong with one step of a store. */
enum Fault {

  /** It is not taken, and fails. */
  FAILS,

  /** It is not taken, and there is never a reply. */
  HANGS,

  /** It is taken, and its reply is lost; the next one is not. */
  REPLY_LOST,

  /** It fails for good: nobody asks again. */
  CLOSED,

  /** There is no room for another key. */
  FULL,

  /** The reply makes no sense. */
  NONSENSE,

  /** There is a record that cannot be read. */
  UNREADABLE,

  /** Of a claim: the record has a header that no answer can have. */
  INVALID_HEADER,

  /** Of a record: another owner has taken over, and has recorded its own answer. */
  TAKEN_OVER;

  <T> CompletionStage<T> around(Supplier<CompletionStage<T>> step) {
    return switch (this) {
      case FAILS -> failedStage(new StoreException("told to fail", null));
      case HANGS -> new CompletableFuture<>();
      case REPLY_LOST ->
          step.get().thenCompose(any -> failedStage(new StoreException("reply lost", null)));
      case CLOSED -> failedStage(new StoreClosedException("faulty"));
      case FULL -> failedStage(new StoreFullException("told to be full"));
      case NONSENSE -> completedStage(null);
      case UNREADABLE -> failedStage(new RecordFormatException("told to be unreadable"));
      case INVALID_HEADER, TAKEN_OVER -> step.get();
    };
  }
}
