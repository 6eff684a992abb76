/** The servlet filter, with the API that the container brings. */
module consumer.servlet {
  requires dev.once.http.servlet;
  requires jakarta.servlet;
}
