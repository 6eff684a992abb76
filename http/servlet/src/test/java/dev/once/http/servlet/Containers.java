package dev.once.http.servlet;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The containers that every test runs in. */
enum Containers {
  JETTY,
  TOMCAT,
  UNDERTOW,

  /** With the default of Tomcat 11: after a forward it takes nothing more for the response. */
  TOMCAT_AS_11;

  /** Undertow and Tomcat say here what tests let handlers do wrong; most of it is silenced. */
  private static final Logger ROOT_LOGGER = Logger.getLogger("");

  Container start(Container.Application application) throws Exception {
    ROOT_LOGGER.setLevel(Level.OFF);
    return switch (this) {
      case JETTY -> new JettyContainer(application);
      case TOMCAT -> new TomcatContainer(application, false);
      case UNDERTOW -> new UndertowContainer(application);
      case TOMCAT_AS_11 -> new TomcatContainer(application, true);
    };
  }

  /** A test that runs in each of them. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ParameterizedTest(name = "{displayName} [{0}]")
  @EnumSource(names = "TOMCAT_AS_11", mode = EnumSource.Mode.EXCLUDE)
  @interface InEachContainer {}
}
