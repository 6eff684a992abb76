package dev.once.http.surfaces;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.surfaces.Surface.Kind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every situation on every surface, over HTTP. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class SurfacesTest {

  private static final Map<Kind, Surface> STARTED = new EnumMap<>(Kind.class);

  static List<Arguments> situationsAndSurfaces() {
    return Situations.all()
        .flatMap(
            situation ->
                Stream.of(Kind.values())
                    .filter(situation::isAt)
                    .map(kind -> Arguments.of(situation, kind)))
        .toList();
  }

  private static Surface running(Kind kind) throws Exception {
    if (!STARTED.containsKey(kind)) {
      STARTED.put(kind, kind.start());
    }
    return STARTED.get(kind);
  }

  @AfterAll
  static void close() {
    STARTED.values().forEach(Surface::close);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("situationsAndSurfaces")
  void a_surface_does_what_the_table_says(Situation situation, Kind kind) throws Exception {
    Outcome seen;
    if (situation.ownSurface) {
      try (Surface own = kind.start()) {
        seen = new Stage(own, situation).play();
      }
    } else {
      seen = new Stage(running(kind), situation).play();
    }
    assertThat(seen).isEqualTo(situation.expected(kind));
  }
}
