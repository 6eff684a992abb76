package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class OwnClaimsTest {

  private static final Duration LEASE = Duration.ofMinutes(5);

  private final OwnClaims claims = new OwnClaims();

  @Test
  void what_was_asked_for_is_known_and_nothing_else() {
    claims.asked(1, LEASE, 0);

    assertThat(claims.has(1)).isTrue();
    assertThat(claims.has(2)).isFalse();
  }

  @Test
  void what_was_not_granted_is_forgotten() {
    claims.asked(1, LEASE, 0);
    claims.notGranted(1);

    assertThat(claims.size()).isZero();
  }

  @Test
  void of_two_tries_one_that_was_not_granted_leaves_the_other_in_doubt() {
    claims.asked(1, LEASE, 0);
    claims.asked(1, LEASE, 0);
    claims.notGranted(1);

    assertThat(claims.has(1)).isTrue();
  }

  @Test
  void what_has_ended_is_forgotten_however_often_it_was_tried() {
    claims.asked(1, LEASE, 0);
    claims.asked(1, LEASE, 0);
    claims.forget(1);

    assertThat(claims.size()).isZero();
  }

  @Test
  void it_is_forgotten_long_after_its_lease_and_not_before() {
    claims.asked(1, LEASE, 0);
    claims.asked(2, LEASE, LEASE.toNanos());
    assertThat(claims.size()).isEqualTo(2);

    claims.asked(3, LEASE, LEASE.multipliedBy(2).toNanos());

    assertThat(claims.has(1)).isFalse();
    assertThat(claims.has(2)).isTrue();
  }
}
