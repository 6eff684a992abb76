package dev.once.benchmarks;

import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.stores.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * First requests and replays on SQLite with synchronous=FULL, next to the plain way: one connection
 * behind a lock, an INSERT that commits and an UPDATE that commits.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 4)
@Measurement(iterations = 5, time = 4)
public class SqliteBenchmark {

  private final Object lock = new Object();
  private Path folder;
  private JdbcStore store;
  private Once once;
  private Operation known;
  private Connection plain;
  private PreparedStatement insert;
  private PreparedStatement update;
  private PreparedStatement select;
  private byte[] body;

  @Setup
  public void open() throws Exception {
    folder = Folders.create();
    store = JdbcStore.sqlite(folder.resolve("once.db"));
    once = Once.on(store);
    known = Sample.operation(Sample.id(new SplittableRandom(1)));
    once.run(known, execution -> Sample.ANSWER);
    openPlain();
  }

  private void openPlain() throws SQLException {
    body = ((Body.Full) Sample.ANSWER.body()).bytes().toArray();
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    SQLiteDataSource dataSource = new SQLiteDataSource(config);
    dataSource.setUrl("jdbc:sqlite:" + folder.resolve("plain.db"));
    plain = dataSource.getConnection();
    plain
        .createStatement()
        .execute("CREATE TABLE keys (key TEXT PRIMARY KEY, hash BLOB, status TEXT, body BLOB)");
    insert = plain.prepareStatement("INSERT INTO keys VALUES (?, ?, 'processing', NULL)");
    update = plain.prepareStatement("UPDATE keys SET status = 'done', body = ? WHERE key = ?");
    select = plain.prepareStatement("SELECT hash, status, body FROM keys WHERE key = ?");
    plainFirst(known);
  }

  @TearDown
  public void close() throws SQLException, IOException {
    once.close();
    store.close();
    plain.close();
    Folders.delete(folder);
  }

  private static Operation fresh() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return Sample.operation(Sample.id(new SplittableRandom(random.nextLong())));
  }

  @Benchmark
  public Object first() throws Exception {
    return once.run(fresh(), execution -> Sample.ANSWER);
  }

  @Benchmark
  public void plainFirst() throws SQLException {
    plainFirst(fresh());
  }

  private void plainFirst(Operation operation) throws SQLException {
    String key = operation.id().key().bytes().toUtf8();
    synchronized (lock) {
      insert.setString(1, key);
      insert.setBytes(2, operation.fingerprint().encoded().toArray());
      insert.executeUpdate();
    }
    synchronized (lock) {
      update.setBytes(1, body);
      update.setString(2, key);
      update.executeUpdate();
    }
  }

  @Benchmark
  public Object replay() {
    return ((Begun.Replay) once.begin(known).toCompletableFuture().join()).answer();
  }

  @Benchmark
  public Object plainSelect() throws SQLException {
    synchronized (lock) {
      select.setString(1, known.id().key().bytes().toUtf8());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getBytes(3);
      }
    }
  }
}
