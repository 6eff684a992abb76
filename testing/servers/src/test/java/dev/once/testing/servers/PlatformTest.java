package dev.once.testing.servers;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PlatformTest {

  /** JUnit's own sign, of a library that it brings. */
  private static boolean skipsATest(Throwable thrown) {
    return thrown.getClass().getSimpleName().equals("TestAbortedException");
  }

  @Test
  void where_a_server_has_no_program_the_test_is_skipped_and_says_what_to_do() {
    Platform mac = new Platform("Mac OS X", "aarch64", "");

    assertThatThrownBy(() -> mac.requireLinux("PostgreSQL", "URL_VARIABLE"))
        .matches(PlatformTest::skipsATest)
        .hasMessageContaining("PostgreSQL")
        .hasMessageContaining("Mac OS X aarch64 (expected: Linux amd64)")
        .hasMessageContaining("set URL_VARIABLE");
  }

  @Test
  void where_it_has_one_the_test_runs() {
    Platform linux = new Platform("Linux", "amd64", "");

    assertThatCode(() -> linux.requireLinux("PostgreSQL", "URL_VARIABLE"))
        .doesNotThrowAnyException();
  }

  @Test
  void servers_that_are_switched_off_skip_the_test_too() {
    Platform off = new Platform("Linux", "amd64", "off");

    assertThatThrownBy(() -> off.requireLinux("PostgreSQL", "URL_VARIABLE"))
        .matches(PlatformTest::skipsATest)
        .hasMessageContaining("-Donce.servers=off");
  }
}
