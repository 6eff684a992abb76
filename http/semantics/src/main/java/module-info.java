/** Once over HTTP, without a server: keys, canonical bodies, profiles, problems, header hygiene. */
@org.jspecify.annotations.NullMarked
module dev.once.http.semantics {
  requires transitive dev.once.core;
  requires com.fasterxml.jackson.core;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.once.http.semantics;
  exports dev.once.http.semantics.canonical;
}
