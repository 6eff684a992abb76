package dev.once.core;

/** The body of an answer: kept whole, kept as a digest because it was too large, or not kept. */
public sealed interface Body {

  Body EMPTY = new Full(Bytes.EMPTY);

  /**
   * The body as UTF-8 text.
   *
   * @throws NotReplayableException if it was not kept
   */
  String text();

  /** The bytes as the handler gave them. */
  record Full(Bytes bytes) implements Body {
    @Override
    public String text() {
      return bytes.toUtf8();
    }
  }

  /** A body too large to keep: enough to say what it was, and never to run it again. */
  record Digest(long size, Bytes sha256) implements Body {
    public Digest {
      if (size < 0 || sha256.size() != 32) {
        throw new IllegalArgumentException(
            "digest: of %d bytes, %d long (expected: of >= 0, 32 long)"
                .formatted(size, sha256.size()));
      }
    }

    @Override
    public String text() {
      throw NotReplayableException.notKept("body", this);
    }
  }

  /** A body that the policy says not to keep. */
  record Omitted() implements Body {
    @Override
    public String text() {
      throw NotReplayableException.notKept("body", this);
    }
  }

  /** Copies the array: later changes to it are not seen. */
  static Body of(byte[] bytes) {
    return new Full(Bytes.copyOf(bytes));
  }

  /** The text in UTF-8. */
  static Body of(String utf8) {
    return new Full(Bytes.utf8(utf8));
  }
}
