package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Claims that are taken back by their token, among steps of all other kinds. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class WithdrawalsTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int KEYS = 100;

  private static ClaimRequest request(String key, long token) {
    OperationId id = new OperationId(Scope.GLOBAL, Key.of(key));
    return new ClaimRequest(id, Fingerprint.of("pay"), token, HOUR, HOUR, false);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static CompletableFuture<Boolean> withdraw(JdbcStore store, String key, long token) {
    return store.withdraw(request(key, token).id(), token).toCompletableFuture();
  }

  private static Lease granted(JdbcStore store, String key, long token) {
    return ((Claim.Granted) join(store.claim(request(key, token)))).lease();
  }

  @ParameterizedTest
  @EnumSource
  void withdrawals_share_a_group_with_every_other_step(ShopDatabase shop) {
    shop.url();
    shop.empty();
    try (JdbcStore store = shop.store()) {
      List<Lease> renewed = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        granted(store, "orphan " + i, 1);
        renewed.add(granted(store, "renewed " + i, 2));
        assertThat(join(store.complete(granted(store, "done " + i, 3), PAID, HOUR))).isTrue();
      }

      List<CompletableFuture<Boolean>> taken = new ArrayList<>();
      List<CompletableFuture<Boolean>> left = new ArrayList<>();
      List<CompletableFuture<Claim>> claimed = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        taken.add(withdraw(store, "orphan " + i, 1));
        taken.add(store.renew(renewed.get(i), HOUR).toCompletableFuture());
        left.add(withdraw(store, "renewed " + i, 1));
        left.add(withdraw(store, "done " + i, 3));
        left.add(withdraw(store, "never claimed " + i, 1));
        claimed.add(store.claim(request("new " + i, 1)).toCompletableFuture());
      }
      assertThat(taken).extracting(CompletableFuture::join).containsOnly(true);
      assertThat(left).extracting(CompletableFuture::join).containsOnly(false);
      assertThat(claimed)
          .extracting(CompletableFuture::join)
          .hasOnlyElementsOfType(Claim.Granted.class);
      assertThat(join(store.count()).processing()).isEqualTo(2 * KEYS);
      assertThat(join(store.count()).done()).isEqualTo(KEYS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_claim_after_a_withdrawal_has_a_higher_fence(ShopDatabase shop) {
    shop.url();
    shop.empty();
    try (JdbcStore store = shop.store()) {
      Lease first = granted(store, "key", 1);
      assertThat(join(store.withdraw(first.id(), 1))).isTrue();
      assertThat(join(store.withdraw(first.id(), 1))).isFalse();
      Lease second = granted(store, "key", 2);
      assertThat(second.fence()).isGreaterThan(first.fence());
      assertThat(second.attempt()).isEqualTo(1);
      assertThat(join(store.withdraw(first.id(), 1))).isFalse();
      assertThat(join(store.complete(first, PAID, HOUR))).isFalse();
      assertThat(join(store.complete(second, PAID, HOUR))).isTrue();
    }
  }
}
