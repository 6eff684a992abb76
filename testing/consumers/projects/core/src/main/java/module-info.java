/** The engine, with keys in memory. */
module consumer.core {
  requires dev.once.core;
}
