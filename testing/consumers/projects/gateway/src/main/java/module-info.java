/** A gateway inside a program, in front of the server of the JDK. */
@SuppressWarnings("requires-automatic")
module consumer.gateway {
  requires dev.once.http.gateway;
  requires java.net.http;
  requires jdk.httpserver;
}
