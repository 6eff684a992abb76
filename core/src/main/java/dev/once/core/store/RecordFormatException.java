package dev.once.core.store;

/** A stored record cannot be read: it is damaged, or was written by a newer version. */
public final class RecordFormatException extends StoreException {
  private static final long serialVersionUID = 1;

  public RecordFormatException(String message) {
    super(message, null);
  }
}
