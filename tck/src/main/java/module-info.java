/** The contract that every store passes, as JUnit tests to extend. */
@org.jspecify.annotations.NullMarked
module dev.once.tck {
  requires org.assertj.core;
  requires transitive dev.once.core;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.once.tck;

  opens dev.once.tck to
      org.junit.platform.commons;
}
