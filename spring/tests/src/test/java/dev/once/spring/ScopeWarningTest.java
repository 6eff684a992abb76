package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Where nothing says who a caller is, one could get another's answer: that is said at the start.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class ScopeWarningTest {

  private static final String WARNING = "Callers are told apart by the header Authorization only";

  @Test
  void without_spring_security_and_without_a_rule_it_is_said_once(CapturedOutput output) {
    RunningApplication.servlet(Map.of()).close();
    assertThat(output.getAll()).containsOnlyOnce(WARNING).contains("once.scope.user-cookie");
  }

  @Test
  void in_webflux_too(CapturedOutput output) {
    RunningApplication.reactive(Map.of()).close();
    assertThat(output.getAll()).containsOnlyOnce(WARNING);
  }

  @Test
  void with_a_rule_or_with_spring_security_it_is_not(CapturedOutput output) {
    RunningApplication.servlet(Map.of("once.scope.user-cookie", "session")).close();
    RunningApplication.securedServlet(Map.of()).close();
    RunningApplication.securedReactive(Map.of()).close();
    assertThat(output.getAll()).contains("keys are kept in").doesNotContain(WARNING);
  }
}
