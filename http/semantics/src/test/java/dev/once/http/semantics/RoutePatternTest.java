package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RoutePatternTest {

  /** Counts how often a segment is looked at, and ends what goes on for too long. */
  private static final class CountedPath extends AbstractList<String> {

    private final List<String> segments;
    private final int most;
    private int looks;

    CountedPath(List<String> segments, int most) {
      this.segments = segments;
      this.most = most;
    }

    @Override
    public String get(int index) {
      assertThat(++looks).as("looks at segments").isLessThanOrEqualTo(most);
      return segments.get(index);
    }

    @Override
    public int size() {
      return segments.size();
    }
  }

  /** Three of them and a path of 4 KB once took 24 seconds. */
  @Test
  void each_segment_is_looked_at_no_more_often_than_the_pattern_is_long() {
    List<String> path = Collections.nCopies(2000, "a");
    for (String text : List.of("/**/a/**/a/**/b", "/**/a/a/a/**/a/a/b", "/**/*/**/*/**/*/b")) {
      RoutePattern pattern = RoutePattern.parse("POST " + text);
      int most = path.size() * pattern.segments().size();
      assertThat(pattern.matches("POST", new CountedPath(path, most))).as(text).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/**, /, true",
    "/**, /a/b, true",
    "/a/**, /a, true",
    "/a/**, /a/b/c, true",
    "/a/**, /b, false",
    "/**/b, /b, true",
    "/**/b, /a/a/b, true",
    "/**/b, /a/b/c, false",
    "/a/**/b, /a/b, true",
    "/a/**/b, /a/b/x/b, true",
    "/a/**/b/**/c, /a/x/b/b/c, true",
    "/a/**/b/**/c, /a/x/b/c/d, false",
    "/**/a/b/**/c, /a/a/b/c, true",
    "/**/a/**/a, /a, false",
    "/**/**, /, true",
    "/a/*/c, /a/b/c, true",
    "/a/*/c, /a/c, false",
    "/a/v*x, /a/v1x, true",
    "/a/v*x, /a/vx, true",
    "/a/v*x, /a/v, false",
    "/ab*ba, /aba, false",
    "/**/v*/**, /a/v2/b, true",
  })
  void a_path_is_matched_segment_by_segment(String pattern, String path, boolean matches) {
    assertThat(RoutePattern.parse(pattern).matches("POST", Paths.segments(path)))
        .isEqualTo(matches);
  }
}
