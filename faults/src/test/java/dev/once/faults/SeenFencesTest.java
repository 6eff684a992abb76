package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.faults.Event.Kind;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SeenFencesTest {

  private static Event event(long time, Kind kind, String process, String call, long fence) {
    return new Event(time, kind, process, call, Keys.key((int) time), fence, "");
  }

  @Test
  void a_lower_fence_after_a_higher_one_is_found() {
    assertThat(
            SeenFences.backwards(
                List.of(
                    event(1, Kind.INVOKED, "p", "1", 0),
                    event(2, Kind.RAN, "p", "1", 20),
                    event(3, Kind.INVOKED, "p", "2", 0),
                    event(4, Kind.RAN, "p", "2", 10))))
        .hasSize(1);
  }

  @Test
  void calls_at_the_same_time_and_other_processes_are_not_compared() {
    assertThat(
            SeenFences.backwards(
                List.of(
                    event(1, Kind.INVOKED, "p", "1", 0),
                    event(2, Kind.INVOKED, "p", "2", 0),
                    event(3, Kind.RAN, "p", "1", 20),
                    event(4, Kind.RAN, "p", "2", 10),
                    event(5, Kind.INVOKED, "q", "3", 0),
                    event(6, Kind.RAN, "q", "3", 5))))
        .isEmpty();
  }
}
