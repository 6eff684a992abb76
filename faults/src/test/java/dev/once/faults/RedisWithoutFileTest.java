package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a Redis cannot promise that keeps nothing on disk; the README says so. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class RedisWithoutFileTest {

  @Test
  void a_redis_without_a_file_forgets_answers_when_it_is_killed_and_they_run_again() {
    try (Subject redis = new RedisSubject("appendonly no", "save \"\"");
        Run run = new Run("Redis without a file: killed", Plan.SHORT)) {
      String url = redis.newStore();
      run.engine(StoreOpening.open(url));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(200);
      redis.kill();
      run.awaitRefusals(5);
      redis.restart();
      run.engine(StoreOpening.open(url)); // its clients ask for what was answered before
      run.awaitAnswers(400);
      run.finish();
      List<Violation> violations = run.violations(() -> StoreOpening.open(url));
      Set<Rule> broken = violations.stream().map(Violation::rule).collect(Collectors.toSet());
      assertThat(broken).contains(Rule.ONE_ANSWER, Rule.UNKNOWN_RUNS_ONCE);
      assertThat(broken)
          .as("but fences are times: a late writer is refused even so")
          .doesNotContain(Rule.FENCES_GROW, Rule.FROM_A_RUN, Rule.EXPECTED);
    }
  }
}
