/** The test kit, in tests that are not of JUnit. */
module consumer.testkit {
  requires dev.once.test;
}
