package dev.once.codecs.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Codec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Programs with one Jackson, with both, and with none. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WhichJacksonTest {

  private static final String TWO = "com.fasterxml.jackson.databind.";
  private static final String THREE = "tools.jackson.";

  /** Loads this module's classes anew, as in a program that lacks some packages. */
  private static final class Without extends URLClassLoader {
    private final String[] missing;

    Without(String... missing) {
      super(
          Stream.of(JacksonCodecs.class)
              .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
              .toArray(URL[]::new),
          JacksonCodecs.class.getClassLoader());
      this.missing = missing;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (Stream.of(missing).anyMatch(name::startsWith)) {
        throw new ClassNotFoundException(name);
      }
      if (name.startsWith("dev.once.codecs.jackson.")) {
        Class<?> known = findLoadedClass(name);
        return known != null ? known : findClass(name);
      }
      return super.loadClass(name, resolve);
    }

    Object create() throws Exception {
      Method create = loadClass(JacksonCodecs.class.getName()).getMethod("create");
      try {
        return create.invoke(null);
      } catch (InvocationTargetException e) {
        throw (Exception) e.getCause();
      }
    }
  }

  /** The class that was chosen, after it made a codec and used it. */
  private static String chosenWithout(String... missing) throws Exception {
    try (Without program = new Without(missing)) {
      Object codecs = program.create();
      @SuppressWarnings("unchecked")
      Codec<String> codec =
          (Codec<String>)
              codecs.getClass().getMethod("of", Class.class).invoke(codecs, String.class);
      assertThat(codec.decode(codec.encode("text"))).isEqualTo("text");
      return codecs.getClass().getSimpleName();
    }
  }

  @Test
  void jackson_3_is_chosen_where_both_are_there() {
    assertThat(JacksonCodecs.create()).isInstanceOf(Jackson3Codecs.class);
  }

  @Test
  void a_program_without_jackson_2_has_jackson_3() throws Exception {
    assertThat(chosenWithout(TWO)).isEqualTo("Jackson3Codecs");
  }

  @Test
  void a_program_without_jackson_3_has_jackson_2() throws Exception {
    assertThat(chosenWithout(THREE)).isEqualTo("Jackson2Codecs");
  }

  @Test
  void a_program_without_any_is_told_what_to_add() throws Exception {
    try (Without program = new Without(TWO, THREE)) {
      assertThatThrownBy(program::create)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("tools.jackson.core:jackson-databind");
    }
  }
}
