package dev.once.http.gateway;

import java.time.Duration;

/**
 * How much clients may take of a gateway.
 *
 * @param connections most connections, and most streams of HTTP/2; beyond it, new ones are closed
 * @param headTimeout from the first byte of a head to its last
 * @param idleTimeout how long a connection may be open without a request
 * @param bodyTimeout how long a body that is held may take; one that streams must bring {@link
 *     #MIN_BYTES_PER_SECOND} on the average of this time
 * @param heldBytes most bytes of bodies that are held in memory
 */
public record ClientLimits(
    int connections,
    Duration headTimeout,
    Duration idleTimeout,
    Duration bodyTimeout,
    long heldBytes) {

  static final int MIN_BYTES_PER_SECOND = 500;

  private static final int MAX_CONNECTIONS = 10_000;
  private static final int HEAP_PER_CONNECTION = 192 * 1024;

  /** As many connections as a heap of this size can bear, each with the longest head. */
  public static int connectionsFor(long heap) {
    return (int) Math.min(MAX_CONNECTIONS, heap / HEAP_PER_CONNECTION);
  }

  /** The largest body that an empty budget has room for; the rest is kept for others. */
  public static long roomForOneBody(long heldBytes) {
    return heldBytes - heldBytes / 8 * 2;
  }

  /** A quarter: each held byte may be in a second buffer on its way in or out. */
  public static long heldBytesFor(long heap) {
    return heap / 4;
  }
}
