/** The test kit, with its extension of JUnit. */
module consumer.testkitjunit {
  requires dev.once.test;
  requires org.junit.jupiter.api;
  requires org.junit.platform.launcher;

  opens consumer.testkitjunit to
      org.junit.platform.commons;
}
