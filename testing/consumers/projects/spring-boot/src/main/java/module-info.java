/** A Spring Boot application, of whichever generation: spring-boot.version. */
@SuppressWarnings("requires-automatic")
module consumer.springboot {
  requires dev.once.http.semantics;
  requires dev.once.spring;
  requires java.net.http;
  requires spring.boot;
  requires spring.boot.autoconfigure;
  requires spring.context;
  requires spring.core;
  requires spring.web;

  opens consumer.springboot;
}
