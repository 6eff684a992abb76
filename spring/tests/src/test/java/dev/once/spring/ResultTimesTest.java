package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Service;
import org.springframework.util.ClassUtils;

/** Times of bean methods, where the application says how its Jackson writes them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ResultTimesTest {

  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
  private static final ZonedDateTime PARIS =
      ZonedDateTime.parse("2026-07-01T10:00:00+02:00[Europe/Paris]");

  /** With a time zone of its own. */
  private static ConfigurableApplicationContext context;

  private static Clocks clocks;

  @BeforeAll
  static void start() {
    context =
        Application.of(Clocks.class)
            .withoutWeb()
            .with("spring.jackson.time-zone", NEW_YORK.getId())
            .start();
    clocks = context.getBean(Clocks.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  record Plain(OffsetDateTime at, ZonedDateTime there) {}

  record Patterned(@JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss Z") ZonedDateTime at) {}

  record InstantOnly(@JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss") Instant at) {}

  record InstantWithOffset(@JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss Z") Instant at) {}

  /** Reads what the application writes, in its time zone, and nothing else. */
  record Local(OffsetDateTime at) {
    @JsonCreator
    static Local of(@JsonProperty("at") String text) {
      LocalDateTime local = LocalDateTime.parse(text.substring(0, 19));
      return new Local(local.atZone(NEW_YORK).toOffsetDateTime());
    }
  }

  @Service
  static class Clocks {

    @Idempotent(key = "#key")
    public Plain plain(String key) {
      return new Plain(PARIS.toOffsetDateTime(), PARIS);
    }

    @Idempotent(key = "#key")
    public Set<ZonedDateTime> set(String key) {
      return IntStream.range(0, 24).mapToObj(PARIS::plusHours).collect(Collectors.toSet());
    }

    @Idempotent(key = "#key")
    public Patterned patterned(String key) {
      return new Patterned(PARIS.withFixedOffsetZone());
    }

    @Idempotent(key = "#key")
    public InstantWithOffset instant(String key) {
      return new InstantWithOffset(Instant.EPOCH);
    }

    @Idempotent(key = "#key")
    public Local local(String key) {
      return new Local(PARIS.toOffsetDateTime());
    }

    @Idempotent(key = "#key")
    public String by(String key, InstantOnly argument) {
      return "done";
    }

    @Idempotent(key = "#key")
    public String on(String key, ZonedDateTime argument) {
      return "done on " + argument;
    }
  }

  @Test
  void a_result_with_a_pattern_is_replayed() {
    try (ConfigurableApplicationContext own = Application.of(Clocks.class).withoutWeb().start()) {
      Clocks clocks = own.getBean(Clocks.class);
      assertThat(clocks.patterned("a")).isEqualTo(clocks.patterned("a"));
    }
  }

  @Test
  void a_result_with_an_instant_in_a_pattern_is_written_in_the_applications_time_zone() {
    assertThat(clocks.instant("a")).isEqualTo(clocks.instant("a"));
  }

  @Test
  void an_argument_with_an_instant_in_a_pattern_is_written_in_the_applications_time_zone() {
    assertThat(clocks.by("a", new InstantOnly(Instant.EPOCH))).isEqualTo("done");
  }

  @Test
  void arguments_are_the_same_if_the_application_writes_them_the_same() {
    String first = clocks.on("b", PARIS);
    assertThat(clocks.on("b", PARIS.withZoneSameInstant(NEW_YORK))).isEqualTo(first);
  }

  @Test
  void plain_times_keep_their_offset_and_zone_beside_a_time_zone_of_the_applications() {
    assertThat(clocks.plain("a")).isEqualTo(clocks.plain("a"));
    assertThat(clocks.plain("a").there()).isEqualTo(PARIS);
  }

  /** Which has another order without the zones: they are part of the hash. */
  @Test
  void plain_times_keep_their_offset_and_zone_in_a_set() {
    assertThat(clocks.set("a")).isEqualTo(clocks.set("a"));
  }

  @Test
  void plain_times_keep_their_offset_and_zone_where_the_application_writes_timestamps() {
    boolean three = ClassUtils.isPresent("tools.jackson.databind.ObjectMapper", null);
    try (ConfigurableApplicationContext own =
        Application.of(Clocks.class)
            .withoutWeb()
            .with(
                three
                    ? "spring.jackson.datatype.datetime.write-dates-as-timestamps"
                    : "spring.jackson.serialization.write-dates-as-timestamps",
                "true")
            .start()) {
      Clocks clocks = own.getBean(Clocks.class);
      assertThat(clocks.plain("a")).isEqualTo(clocks.plain("a"));
      assertThat(clocks.plain("a").there()).isEqualTo(PARIS);
    }
  }

  @Test
  void a_time_that_would_be_read_as_another_instant_is_written_as_the_application_does() {
    OffsetDateTime first = clocks.local("a").at();
    assertThat(clocks.local("a").at().toInstant()).isEqualTo(first.toInstant());
  }
}
