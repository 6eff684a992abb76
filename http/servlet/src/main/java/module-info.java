/** Once as a Jakarta Servlet filter. */
@org.jspecify.annotations.NullMarked
module dev.once.http.servlet {
  requires transitive dev.once.http.semantics;
  requires org.slf4j;
  requires static transitive jakarta.servlet;
  requires static transitive org.jspecify;

  exports dev.once.http.servlet;
}
