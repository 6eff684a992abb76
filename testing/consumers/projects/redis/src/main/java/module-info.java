/** Keys in Redis. */
module consumer.redis {
  requires dev.once.stores.redis;
}
