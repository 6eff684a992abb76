/** Codecs of Once that record values as JSON, by Jackson 2 or 3: whichever the program has. */
@org.jspecify.annotations.NullMarked
module dev.once.codecs.jackson {
  requires transitive dev.once.core;
  // Not transitive: who has one Jackson need not have the other.
  requires static com.fasterxml.jackson.databind;
  requires static tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.once.codecs.jackson;
}
