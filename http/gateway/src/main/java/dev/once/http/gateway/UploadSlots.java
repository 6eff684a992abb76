package dev.once.http.gateway;

import org.jspecify.annotations.Nullable;

/**
 * How many bodies may stream to the upstream at once. A connection of HTTP/2 on which one streams
 * gets no more if less than half are free: or a few connections would take all. Belongs to one
 * event loop.
 */
final class UploadSlots {

  private final int slots;
  private int taken;

  UploadSlots(int slots) {
    this.slots = slots;
  }

  /** Takes one for a client; false if there is none. */
  boolean enter(@Nullable ClientConnection client) {
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

  void leave(@Nullable ClientConnection client) {
    taken--;
    if (client != null) {
      client.uploads--;
    }
  }
}
