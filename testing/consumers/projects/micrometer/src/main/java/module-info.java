/** Metrics. */
module consumer.micrometer {
  requires dev.once.ops.micrometer;
}
