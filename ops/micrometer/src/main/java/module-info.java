/** What Once does, as Micrometer meters. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("requires-transitive-automatic") // Micrometer has no module-info
module dev.once.ops.micrometer {
  requires transitive dev.once.core;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;

  exports dev.once.ops.micrometer;
}
