/** What a key means over HTTP, without a server. */
module consumer.semantics {
  requires dev.once.http.semantics;
}
