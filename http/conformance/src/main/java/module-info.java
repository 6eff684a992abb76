/** Once: a black-box suite for any HTTP server that takes idempotency keys. */
@org.jspecify.annotations.NullMarked
module dev.once.http.conformance {
  requires java.net.http;
  requires java.xml;
  requires com.fasterxml.jackson.core;
  requires static transitive org.jspecify;

  exports dev.once.http.conformance;
  exports dev.once.http.conformance.report;
}
