package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SqliteTransactionsTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  @TempDir private Path folder;
  private SqliteFile file;
  private ObservedDataSource observed;
  private JdbcStore store;
  private Once once;

  @BeforeEach
  void open() {
    file = new SqliteFile(folder.resolve("once.db"));
    observed = file.observed();
    store = JdbcStore.sqlite(observed.asDataSource(), file.dialect());
    once = Once.on(store);
    observed.commits.set(0);
    observed.statements.set(0);
  }

  @AfterEach
  void close() {
    once.close();
    store.close();
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT);
  }

  @Test
  void a_first_request_is_two_short_transactions() throws Exception {
    once.run(pay("key"), execution -> PAID);
    assertThat(observed.commits).hasValue(2);
    assertThat(observed.statements).as("look, fence, claim; complete").hasValue(4);
  }

  @Test
  void a_replay_is_one_read_and_writes_nothing() throws Exception {
    once.run(pay("key"), execution -> PAID);
    observed.commits.set(0);
    observed.statements.set(0);
    List<Long> before = state();
    assertThat(once.run(pay("key"), execution -> PAID)).isEqualTo(new Result.Replayed(PAID));
    assertThat(observed.commits).hasValue(0);
    assertThat(observed.statements).hasValue(1);
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void a_busy_claim_is_one_read_and_writes_nothing() throws Exception {
    once.begin(pay("key")).toCompletableFuture().join();
    observed.commits.set(0);
    observed.statements.set(0);
    List<Long> before = state();
    Result.Refused refused = (Result.Refused) once.run(pay("key"), execution -> PAID);
    assertThat(refused.refusal().reason()).isEqualTo(Refusal.Reason.BUSY);
    assertThat(observed.commits).hasValue(0);
    assertThat(observed.statements).hasValue(1);
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void requests_that_wait_together_share_two_transactions() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch first = new CountDownLatch(1);
    observed.aroundCommit = gate(first, gate);
    CompletableFuture<Begun> lone = once.begin(pay("lone")).toCompletableFuture();
    first.await();
    List<CompletableFuture<Begun>> claims = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      claims.add(once.begin(pay("key " + i)).toCompletableFuture());
    }
    // Once a read behind them all has been served, all hundred wait for the writer.
    store.count().toCompletableFuture().join();
    store.count().toCompletableFuture().join();
    gate.countDown();
    lone.join();
    for (CompletableFuture<Begun> claim : claims) {
      claim.join();
    }
    assertThat(observed.commits).as("the lone one, and the hundred").hasValueLessThanOrEqualTo(3);
    observed.commits.set(0);
    CountDownLatch again = new CountDownLatch(1);
    CountDownLatch reached = new CountDownLatch(1);
    observed.aroundCommit = gate(reached, again);
    List<CompletableFuture<Result>> results = new ArrayList<>();
    results.add(execution(lone).complete(PAID).toCompletableFuture());
    reached.await();
    claims.forEach(claim -> results.add(execution(claim).complete(PAID).toCompletableFuture()));
    again.countDown();
    results.forEach(CompletableFuture::join);
    assertThat(observed.commits).hasValue(2);
  }

  private static Execution execution(CompletableFuture<Begun> begun) {
    return ((Begun.Proceed) begun.join()).execution();
  }

  private static ObservedDataSource.AroundCommit gate(CountDownLatch reached, CountDownLatch gate) {
    return new ObservedDataSource.AroundCommit() {
      @Override
      public void before() {
        reached.countDown();
        try {
          gate.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void after() {}
    };
  }

  /** Sizes and changes of all of the store's files. */
  private List<Long> state() throws IOException {
    List<Long> state = new ArrayList<>();
    for (String suffix : List.of("", "-wal")) {
      Path path = Path.of(file.path() + suffix);
      state.add(Files.size(path));
      state.add(Files.getLastModifiedTime(path).toMillis());
    }
    return state;
  }
}
