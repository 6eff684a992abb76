package dev.once.core.spi;

import dev.once.core.Refusal;

/** What the client of an {@link Exchange} gets. */
public sealed interface Delivery {

  /** The surface's answer, as it is. */
  Delivery SEND = new Send();

  /** Nothing more: part of an answer was sent that must not look whole. Break the connection. */
  Delivery ABORT = new Abort();

  /** Whatever was said at the end: the exchange was over before. */
  Delivery ALREADY_ENDED = new AlreadyEnded();

  /** See {@link #SEND}. */
  record Send() implements Delivery {}

  /** This refusal, and nothing of the answer. */
  record Instead(Refusal refusal) implements Delivery {}

  /** What the surface makes of a handler that threw this: all that the handler did is undone. */
  record Failed(RuntimeException thrown) implements Delivery {}

  /** See {@link #ABORT}. */
  record Abort() implements Delivery {}

  /** See {@link #ALREADY_ENDED}. */
  record AlreadyEnded() implements Delivery {}
}
