package dev.once.simulation;

/** What a node asks of the store. */
enum Step {
  /** Of a cache, which said what there is to say. */
  LOOK,
  CLAIM,
  COMPLETE,
  RELEASE,
  WITHDRAW,
  RENEW,
  PURGE;

  String label() {
    return switch (this) {
      case LOOK -> "look";
      case CLAIM -> "claim";
      case COMPLETE -> "complete";
      case RELEASE -> "release";
      case WITHDRAW -> "withdraw";
      case RENEW -> "renew";
      case PURGE -> "purge";
    };
  }
}
