package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MissingDriverTest {

  @ParameterizedTest
  @CsvSource({
    "postgresql, org.postgresql:postgresql",
    "mariadb, org.mariadb.jdbc:mariadb-java-client",
  })
  void a_missing_driver_is_not_told_as_a_server_that_is_not_there(String scheme, String dependency)
      throws Exception {
    String jar = dependency.substring(dependency.indexOf(':') + 1);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader without = classPathWithout(jar)) {
      thread.setContextClassLoader(without);
      Throwable failure =
          catchThrowable(() -> open(without, scheme + "://me:secret@127.0.0.1:1/o"));
      assertThat(failure.getClass().getSimpleName()).isEqualTo("StoreSetupException");
      assertThat(failure)
          .hasMessage(
              "%1$s://****@127.0.0.1:1/o: %1$s: needs %2$s (expected: on the class path; add that dependency)"
                  .formatted(scheme, dependency));
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static void open(ClassLoader loader, String url) throws Throwable {
    try {
      loader
          .loadClass("dev.once.core.store.Stores")
          .getMethod("open", String.class)
          .invoke(null, url);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static URLClassLoader classPathWithout(String jar) throws Exception {
    List<URL> left = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!Path.of(entry).getFileName().toString().startsWith(jar + "-")) {
        left.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(left.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
