package dev.once.stores.redis;

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
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MissingClientTest {

  @Test
  void without_lettuce_a_url_is_read_and_to_open_it_says_what_to_add() throws Throwable {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader without = classPathWithoutLettuce()) {
      thread.setContextClassLoader(without);
      assertThat(call(without, "parse", "redis://h")).hasToString("redis://h");
      Throwable failure = catchThrowable(() -> call(without, "open", "redis://:secret@h"));
      assertThat(failure.getClass().getSimpleName()).isEqualTo("StoreSetupException");
      assertThat(failure)
          .hasMessage(
              "redis://****@h: redis: needs io.lettuce:lettuce-core (expected: on the class path;"
                  + " add that dependency)");
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static Object call(ClassLoader loader, String method, String url) throws Throwable {
    try {
      return loader
          .loadClass("dev.once.core.store.Stores")
          .getMethod(method, String.class)
          .invoke(null, url);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static URLClassLoader classPathWithoutLettuce() throws Exception {
    List<URL> left = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!Path.of(entry).getFileName().toString().startsWith("lettuce-core-")) {
        left.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(left.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
