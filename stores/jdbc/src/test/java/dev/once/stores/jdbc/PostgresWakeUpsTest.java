package dev.once.stores.jdbc;

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
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresWakeUpsTest {

  /** A wake-up is a hint, which may be lost; not again and again. */
  private static final int TRIES = 20;

  private static final int LONG_SECONDS = 300;

  private static final Duration HOUR = Duration.ofHours(1);

  private String url;
  private JdbcStore here;
  private JdbcStore there;

  @BeforeEach
  void open() {
    url = DatabaseFixture.database(PostgresServer.shared());
    here = JdbcStore.open(url);
    there = JdbcStore.open(url);
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  @Test
  void come_from_another_node() throws Exception {
    assertThat(isWokenFromThere()).isTrue();
  }

  @Test
  void come_even_if_it_ended_before_it_was_known_there_that_somebody_waits() throws Exception {
    assertThat(isWokenFromThere()).isTrue(); // now both listen
    OperationId id = new OperationId(Scope.GLOBAL, Key.of("ended before"));
    Lease lease = ((Claim.Granted) join(there.claim(request(id)))).lease();
    join(there.complete(lease, Answer.success(201, Body.EMPTY), HOUR));
    Semaphore woken = new Semaphore(0);

    try (Store.Watch watch = here.watch(id, woken::release)) {
      assertThat(woken.tryAcquire(LONG_SECONDS, SECONDS)).isTrue();
    }
  }

  @Test
  void come_also_for_the_end_of_what_runs_again_after_a_release() throws Exception {
    assertThat(isWokenFromThere()).isTrue();
    OperationId id = new OperationId(Scope.GLOBAL, Key.of("again"));
    join(there.release(((Claim.Granted) join(there.claim(request(id)))).lease()));
    Lease lease = ((Claim.Granted) join(there.claim(request(id)))).lease();
    Semaphore woken = new Semaphore(0);

    try (Store.Watch watch = here.watch(id, woken::release)) {
      assertThat(woken.tryAcquire(LONG_SECONDS, SECONDS)).as("for the release").isTrue();
      join(there.complete(lease, Answer.success(201, Body.EMPTY), HOUR));
      assertThat(woken.tryAcquire(LONG_SECONDS, SECONDS)).as("for the answer").isTrue();
    }
  }

  @Test
  void come_again_after_the_connections_were_cut() throws Exception {
    assertThat(isWokenFromThere()).isTrue();
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()")) {
      row.next();
      assertThat(row.getInt(1)).isGreaterThanOrEqualTo(2);
    }
    assertThat(isWokenFromThere()).isTrue();
  }

  private boolean isWokenFromThere() throws InterruptedException, SQLException {
    Semaphore woken = new Semaphore(0);
    for (int i = 0; i < TRIES; i++) {
      OperationId id = new OperationId(Scope.GLOBAL, Key.of("key " + System.nanoTime()));
      try {
        Lease lease = ((Claim.Granted) join(there.claim(request(id)))).lease();
        try (Store.Watch watch = here.watch(id, woken::release)) {
          join(there.complete(lease, Answer.success(201, Body.EMPTY), HOUR));
          if (woken.tryAcquire(2, SECONDS)) {
            return true;
          }
        }
      } catch (CompletionException e) {
        // A connection that was cut is noticed by the first who uses it.
      }
    }
    return false;
  }

  private static ClaimRequest request(OperationId id) {
    return new ClaimRequest(id, Fingerprint.of("pay"), System.nanoTime(), HOUR, HOUR, false);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
