/** For tests of applications that use Once. */
@org.jspecify.annotations.NullMarked
module dev.once.test {
  requires transitive dev.once.core;
  requires transitive org.assertj.core;
  // Not transitive: who has no JUnit needs none.
  requires static org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.once.test;
}
