/** A store in Redis or Valkey. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Lettuce has no module
module dev.once.stores.redis {
  requires transitive dev.once.core;
  requires transitive lettuce.core;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver.dns; // for Lettuce, which has no module to say so
  requires io.netty.transport;
  requires jdk.net; // for Lettuce's keepalive
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.once.stores.redis;

  provides dev.once.core.store.spi.StoreProvider with
      dev.once.stores.redis.RedisStoreProvider;
}
