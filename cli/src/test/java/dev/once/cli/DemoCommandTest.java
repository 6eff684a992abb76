package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DemoCommandTest {

  @Test
  @Timeout(600)
  void it_shows_the_double_charge_and_how_a_key_prevents_it_also_where_the_port_is_taken()
      throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Run run = Run.of("demo", "--once", "--port", String.valueOf(taken.getLocalPort()));
      assertThat(run.err()).isEmpty();
      assertThat(run.code()).isZero();
      assertThat(run.outLines())
          .anyMatch(line -> line.startsWith("Port " + taken.getLocalPort() + " is taken; "))
          .containsSubsequence(
              "  The card was charged twice.",
              "  The card was charged once.",
              "  < 422   The idempotency key was used for another request",
              "  The card was charged once.")
          .anyMatch(line -> line.startsWith("  < 201   Idempotent-Replayed: true   {\"id\":3,"))
          .anyMatch(line -> line.startsWith("  < 409   Retry-After: "));
      assertThat(run.out()).doesNotContain("\u001b");
    }
  }

  @Test
  void a_port_that_cannot_be_is_refused() {
    Run run = Run.of("demo", "--port", "http");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines()).containsExactly("--port: 'http' (expected: 1 to 65535)");
  }
}
