package dev.once.http.gateway;

/** How many bodies may stream to the upstream at once. Belongs to one event loop. */
final class UploadSlots {

  private int free;

  UploadSlots(int slots) {
    this.free = slots;
  }

  /** Takes one; false if there is none. */
  boolean enter() {
    if (free == 0) {
      return false;
    }
    free--;
    return true;
  }

  void leave() {
    free++;
  }
}
