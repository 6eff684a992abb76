/** The contract of a store, extended for a store of one's own. */
module consumer.tck {
  requires dev.once.tck;
  requires org.junit.platform.launcher;

  opens consumer.tck to
      org.junit.platform.commons;
}
