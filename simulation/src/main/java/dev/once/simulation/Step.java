package dev.once.simulation;

/** What a node asks of the store. */
enum Step {
  /** A cache has replied, so the database is not asked. */
  CACHE_REPLY,
  CLAIM,
  COMPLETE,
  RELEASE,
  WITHDRAW,
  RENEW,
  PURGE;

  String label() {
    return switch (this) {
      case CACHE_REPLY -> "cache reply";
      case CLAIM -> "claim";
      case COMPLETE -> "complete";
      case RELEASE -> "release";
      case WITHDRAW -> "withdraw";
      case RENEW -> "renew";
      case PURGE -> "purge";
    };
  }
}
