package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Where the keys are kept. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StoreTest {

  private static final Operation OPERATION =
      Operation.of(Scope.GLOBAL, Key.of("abc"), Fingerprint.of("x"), Policy.DEFAULT);

  @Test
  void the_bean_runs_an_operation_once() throws Exception {
    try (ConfigurableApplicationContext context = Application.of().withoutWeb().start()) {
      Once once = context.getBean(Once.class);
      Result first = once.run(OPERATION, execution -> Answer.success(200, Body.of("1")));
      Result second = once.run(OPERATION, execution -> Answer.success(200, Body.of("2")));
      assertThat(first).isInstanceOf(Result.Executed.class);
      assertThat(second).isEqualTo(new Result.Replayed(Answer.success(200, Body.of("1"))));
    }
  }
}
