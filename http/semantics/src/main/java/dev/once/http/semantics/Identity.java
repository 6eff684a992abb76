package dev.once.http.semantics;

/** What names an operation, within its scope. */
public enum Identity {
  /** The key. The same key with another request is refused. */
  KEY,
  /** The key and the request together. The same key with another request is another operation. */
  KEY_AND_REQUEST
}
