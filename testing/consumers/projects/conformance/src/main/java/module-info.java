/** The black-box suite. */
module consumer.conformance {
  requires dev.once.http.conformance;
}
