package dev.once.stores.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
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
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;

/** Steps of a store, for tests of faults. */
final class StoreSteps {

  static final Duration LEASE = Duration.ofMinutes(5);
  static final Duration RETENTION = Duration.ofHours(1);
  static final Fingerprint ASKED = Fingerprint.of("POST", "/payments", "{}");
  static final Answer PAID = Answer.success(201, Body.of("{\"paid\":true}"));

  private static final Duration SOON = Duration.ofMinutes(5);

  private StoreSteps() {}

  static OperationId id(String key) {
    return new OperationId(Scope.GLOBAL, Key.of(key));
  }

  static ClaimRequest request(String key) {
    return request(key, LEASE, false);
  }

  static ClaimRequest request(String key, Duration lease, boolean takeover) {
    long token = ThreadLocalRandom.current().nextLong();
    return new ClaimRequest(id(key), ASKED, token, lease, RETENTION, takeover);
  }

  /** A store with so short a timeout that to open it may take some tries. */
  static RedisStore openSoon(String url) throws Exception {
    return eventually(() -> RedisStore.open(url));
  }

  static Claim claim(Store store, String key) {
    return await(store.claim(request(key)));
  }

  static Lease granted(Store store, String key) {
    return granted(store, request(key));
  }

  static Lease granted(Store store, ClaimRequest request) {
    Claim claim = await(store.claim(request));
    assertThat(claim).isInstanceOf(Claim.Granted.class);
    return ((Claim.Granted) claim).lease();
  }

  static boolean complete(Store store, Lease lease) {
    return await(store.complete(lease, PAID, RETENTION));
  }

  static Lease finished(Store store, String key) {
    Lease lease = granted(store, key);
    assertThat(complete(store, lease)).isTrue();
    return lease;
  }

  static void assertReplays(Store store, String key) {
    assertThat(claim(store, key)).isEqualTo(new Claim.Finished(ASKED, PAID));
  }

  static <T> T await(CompletionStage<T> stage) {
    Object outcome = outcome(stage);
    if (outcome instanceof Throwable failure) {
      throw new AssertionError("a step failed (expected: a reply)", failure);
    }
    @SuppressWarnings("unchecked") // what is not a failure is the stage's reply
    T reply = (T) outcome;
    return reply;
  }

  /** The reply, or what the step failed with. */
  static Object outcome(CompletionStage<?> stage) {
    try {
      return stage.toCompletableFuture().get(SOON.toSeconds(), SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException | InterruptedException e) {
      throw new AssertionError("no end (expected: within " + SOON + ")", e);
    }
  }

  /** Tries until it succeeds; fails as the last try did. */
  static <T> T eventually(Callable<T> step) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (true) {
      try {
        return step.call();
      } catch (AssertionError | RuntimeException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }
}
