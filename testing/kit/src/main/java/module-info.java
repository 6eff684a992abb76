/** For tests of applications that use Once. */
@org.jspecify.annotations.NullMarked
module dev.once.test {
  requires transitive dev.once.core;
  requires transitive org.assertj.core;
  requires static transitive org.junit.jupiter.api;
  requires static org.jspecify;

  exports dev.once.test;
}
