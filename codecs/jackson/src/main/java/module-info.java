/** Codecs of Once that record values as JSON, by Jackson 2 or 3: whichever the program has. */
@org.jspecify.annotations.NullMarked
module dev.once.codecs.jackson {
  requires transitive dev.once.core;
  requires static transitive com.fasterxml.jackson.databind;
  requires static transitive tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.once.codecs.jackson;
}
