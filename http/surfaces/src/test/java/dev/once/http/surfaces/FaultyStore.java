package dev.once.http.surfaces;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Header;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A real store whose steps go wrong, key by key, where a test says so, and whose time it sets. */
final class FaultyStore extends ForwardingStore {

  /** A step of the store. */
  enum Step {
    CLAIM,
    COMPLETE,
    RELEASE,
    WITHDRAW
  }

  private record At(String key, Step step) {}

  private final AtomicReference<Duration> passed;
  private final Map<At, Fault> faults = new ConcurrentHashMap<>();
  private final Map<String, OperationId> ids = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<Void>> recorded = new ConcurrentHashMap<>();

  FaultyStore() {
    this(new AtomicReference<>(Duration.ZERO));
  }

  private FaultyStore(AtomicReference<Duration> passed) {
    super(new MemoryStore(() -> Instant.now().plus(passed.get()), 10_000, 100_000_000));
    this.passed = passed;
  }

  /** Makes all records older. */
  void passes(Duration time) {
    passed.updateAndGet(time::plus);
  }

  void set(String key, Step step, Fault fault) {
    faults.put(new At(key, step), fault);
  }

  void heal(String key) {
    faults.keySet().removeIf(at -> at.key().equals(key));
  }

  /** What is kept under a key, in a few words. */
  String holds(String key) {
    OperationId id = ids.get(key);
    Optional<OperationRecord> found = id == null ? Optional.empty() : find(id);
    if (found.isEmpty()) {
      return "free";
    }
    Answer answer = found.get().answer();
    if (answer == null) {
      return "processing";
    }
    String kept =
        answer.body() instanceof Body.Digest
            ? ", digest"
            : answer.body() instanceof Body.Omitted ? ", status only" : "";
    return found.get().status().name().toLowerCase(java.util.Locale.ROOT)
        + " "
        + answer.code()
        + kept;
  }

  private Optional<OperationRecord> find(OperationId id) {
    return inspection().find(id).toCompletableFuture().join();
  }

  void awaitRecorded(String key) throws Exception {
    recorded(key).get(Client.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private CompletableFuture<Void> recorded(String key) {
    return recorded.computeIfAbsent(key, any -> new CompletableFuture<>());
  }

  private static String key(OperationId id) {
    return id.key().bytes().toUtf8();
  }

  private <T> CompletionStage<T> step(
      OperationId id, Step step, Supplier<CompletionStage<T>> real) {
    At at = new At(key(id), step);
    Fault fault = faults.get(at);
    if (fault == Fault.REPLY_LOST) {
      faults.remove(at);
    }
    return fault == null ? real.get() : fault.around(real);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    ids.put(key(request.id()), request.id());
    CompletionStage<Claim> claim = step(request.id(), Step.CLAIM, () -> super.claim(request));
    return faults.get(new At(key(request.id()), Step.CLAIM)) == Fault.INVALID_HEADER
        ? claim.thenApply(FaultyStore::withInvalidHeader)
        : claim;
  }

  private static Claim withInvalidHeader(Claim claim) {
    return claim instanceof Claim.Finished finished
        ? new Claim.Finished(
            finished.fingerprint(),
            finished.answer().withHeaders(List.of(new Header("X-Note", "two\r\nlines"))))
        : claim;
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    String key = key(lease.id());
    if (faults.get(new At(key, Step.COMPLETE)) == Fault.TAKEN_OVER) {
      takeOver(lease, retention);
    }
    return step(lease.id(), Step.COMPLETE, () -> super.complete(lease, answer, retention))
        .whenComplete((done, failure) -> recorded(key).complete(null));
  }

  private void takeOver(Lease lease, Duration retention) {
    OperationRecord record = find(lease.id()).orElseThrow();
    inspection().forceRelease(lease.id(), lease.fence()).toCompletableFuture().join();
    ClaimRequest other =
        new ClaimRequest(
            lease.id(), record.fingerprint(), 7, Duration.ofMinutes(5), retention, false);
    Claim granted = super.claim(other).toCompletableFuture().join();
    super.complete(
            ((Claim.Granted) granted).lease(),
            Answer.success(202, Body.of(Script.DONE + "another owner")),
            retention)
        .toCompletableFuture()
        .join();
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return step(lease.id(), Step.RELEASE, () -> super.release(lease));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return step(id, Step.WITHDRAW, () -> super.withdraw(id, token));
  }
}
