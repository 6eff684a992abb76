package dev.once.core;

/**
 * A number that grows with each grant of the same operation, also across expiry and release.
 *
 * <p>Whoever writes on behalf of an operation can pass it on; a writer that remembers the highest
 * fence it has seen can refuse an owner that comes late.
 */
public record Fence(long value) implements Comparable<Fence> {

  public Fence {
    if (value <= 0) {
      throw new IllegalArgumentException("fence: " + value + " (expected: > 0)");
    }
  }

  @Override
  public int compareTo(Fence other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
