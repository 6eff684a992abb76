package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Judges a history that a run has written, once more: {@code -Dtest=RecheckTest
 * -Donce.faults.history=FILE}, and {@code -Donce.faults.notPromised=BUSY_ENDS,RELEASED_IS_GONE} for
 * the store that has Redis in front.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@EnabledIfSystemProperty(named = "once.faults.history", matches = ".+")
class RecheckTest {

  @Test
  void a_history_that_was_written_fits() {
    Path file = Path.of(System.getProperty("once.faults.history"));
    History history = HistoryFile.events(file);
    FinalState finalState = FinalState.after(history, HistoryFile.kept(file));
    Promises promises = new Promises(Plan.SHORT.lease(), notPromised());
    List<Violation> violations = new Checker(history, finalState, promises).violations();
    Map<Rule, Long> rules =
        violations.stream()
            .collect(Collectors.groupingBy(Violation::rule, TreeMap::new, Collectors.counting()));
    System.out.println(file + ": " + history.byKey().size() + " keys, does not fit: " + rules);
    for (Violation violation : violations.stream().limit(10).toList()) {
      System.out.println(violation + "\n" + history.of(violation.key()));
    }
    assertThat(violations).isEmpty();
  }

  private static Set<Rule> notPromised() {
    return Arrays.stream(System.getProperty("once.faults.notPromised", "").split(","))
        .filter(name -> !name.isEmpty())
        .map(Rule::valueOf)
        .collect(Collectors.toSet());
  }
}
