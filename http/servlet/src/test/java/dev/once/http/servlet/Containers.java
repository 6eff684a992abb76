package dev.once.http.servlet;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The containers that every test runs in. */
enum Containers {
  JETTY(JettyContainer::new),
  TOMCAT(TomcatContainer::new),
  UNDERTOW(UndertowContainer::new);

  private final Container.Starter starter;

  Containers(Container.Starter starter) {
    this.starter = starter;
  }

  Container start(Container.Application application) throws Exception {
    return starter.start(application);
  }

  /** A test that runs in each of them. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ParameterizedTest(name = "{displayName} [{0}]")
  @EnumSource(Containers.class)
  @interface InEachContainer {}
}
