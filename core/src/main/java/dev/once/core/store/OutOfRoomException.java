package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/** A store had no room for what was to be written: its disk or its memory is full. */
public final class OutOfRoomException extends StoreException {
  private static final long serialVersionUID = 1;

  public OutOfRoomException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
