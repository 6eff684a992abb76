package dev.once.http.gateway;

import org.jspecify.annotations.Nullable;

/**
 * How many bodies may stream to the upstream at once. An HTTP/2 connection that has one gets
 * another only if at least half are free: otherwise a few connections could take all. Belongs to
 * one event loop.
 */
final class UploadSlots {

  private final int slots;
  private int taken;

  UploadSlots(int slots) {
    this.slots = slots;
  }

  /** Takes one for a client; false if there is none. */
  boolean tryTake(@Nullable ClientConnection client) {
    boolean more = client != null && client.uploads > 0;
    if (taken == slots || (more && taken >= slots / 2)) {
      return false;
    }
    taken++;
    if (client != null) {
      client.uploads++;
    }
    return true;
  }

  void release(@Nullable ClientConnection client) {
    taken--;
    if (client != null) {
      client.uploads--;
    }
  }
}
