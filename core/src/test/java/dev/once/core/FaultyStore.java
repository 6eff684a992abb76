package dev.once.core;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.UnconfirmedException;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.core.store.spi.WaitingCaller;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A real store behind a network that does to its calls what a test says, in order. */
final class FaultyStore extends ForwardingStore {

  enum Fault {
    NONE,
    /** The request does not arrive. */
    REQUEST_LOST,
    /** The step is taken, but its reply is an error. */
    REPLY_LOST,
    /** An error is told at once; the request arrives when the test says so, and no reply comes. */
    ARRIVES_LATE,
    /** The request does not arrive, and nobody says so. */
    HANGS,
    /** The step is taken at once; the reply comes when the test says so. */
    LATE,
    /** The store's own code throws. */
    THROWS,
    /** There is a record of a newer version. */
    UNREADABLE,
    /** The step is taken, and too few replicas have it. */
    UNCONFIRMED,
    /** The store says that it has too much to do. */
    NOT_TAKEN
  }

  private final Deque<Fault> faults = new ArrayDeque<>();
  private final List<Runnable> lateReplies = new ArrayList<>();
  private final List<Runnable> lateArrivals = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private final List<Optional<Duration>> callerThreadTimes = new ArrayList<>();
  private Runnable meanwhile = () -> {};
  private boolean down;
  private int room = Integer.MAX_VALUE;
  private boolean confirms = true;
  private boolean wakeUp = true;
  private @Nullable Throwable brokenWakeUp;
  private @Nullable Throwable stuckWakeUp;

  FaultyStore(Store store) {
    super(store);
  }

  FaultyStore next(Fault... next) {
    faults.addAll(List.of(next));
    return this;
  }

  /** Every call fails, until this is called again with false. */
  void down(boolean down) {
    this.down = down;
  }

  /** There is room for claims and none for answers, until this is called again with false. */
  void full(boolean full) {
    room = full ? -1 : Integer.MAX_VALUE;
  }

  /** There is room for claims and for answers that are not larger. */
  void roomFor(int bytes) {
    room = bytes;
  }

  /** Whether replicas have what is written from now on. */
  void confirms(boolean confirms) {
    this.confirms = confirms;
  }

  /** What happens while the store uses the caller's thread. */
  void meanwhile(Runnable action) {
    meanwhile = action;
  }

  /** For how long each call since the last time this was asked could have used its thread. */
  List<Optional<Duration>> callerThreadTimes() {
    List<Optional<Duration>> made = List.copyOf(callerThreadTimes);
    callerThreadTimes.clear();
    return made;
  }

  void withoutWakeUp() {
    wakeUp = false;
  }

  void withWakeUpThatCannotBeLeft(Throwable thrown) {
    stuckWakeUp = thrown;
  }

  void withBrokenWakeUp(Throwable thrown) {
    brokenWakeUp = thrown;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
    throw (E) thrown;
  }

  void deliverLateReplies() {
    lateReplies.forEach(Runnable::run);
    lateReplies.clear();
  }

  /** What was stuck in the network reaches the store. */
  void deliverLateArrivals() {
    List<Runnable> stuck = List.copyOf(lateArrivals);
    lateArrivals.clear();
    stuck.forEach(Runnable::run);
  }

  /** The names of the calls made since the last time this was asked. */
  List<String> calls() {
    List<String> made = List.copyOf(calls);
    calls.clear();
    return made;
  }

  private Fault fault() {
    if (down) {
      return Fault.REQUEST_LOST;
    }
    return faults.isEmpty() ? (confirms ? Fault.NONE : Fault.UNCONFIRMED) : faults.remove();
  }

  private <T> CompletionStage<T> call(String name, Supplier<CompletionStage<T>> step) {
    calls.add(name);
    callerThreadTimes.add(Optional.ofNullable(WaitingCaller.takeCallerThread()));
    meanwhile.run();
    return switch (fault()) {
      case NONE -> step.get();
      case REQUEST_LOST -> CompletableFuture.failedFuture(new StoreException("cut", null));
      case REPLY_LOST -> {
        step.get().toCompletableFuture().join();
        yield CompletableFuture.failedFuture(new StoreException("cut after the step", null));
      }
      case UNCONFIRMED -> {
        step.get().toCompletableFuture().join();
        yield CompletableFuture.failedFuture(new UnconfirmedException("0 of 1 replicas", null));
      }
      case ARRIVES_LATE -> {
        lateArrivals.add(() -> step.get().toCompletableFuture().join());
        yield CompletableFuture.failedFuture(new StoreException("cut before the step", null));
      }
      case HANGS -> new CompletableFuture<>();
      case LATE -> {
        CompletableFuture<T> reply = new CompletableFuture<>();
        T value = step.get().toCompletableFuture().join();
        lateReplies.add(() -> reply.complete(value));
        yield reply;
      }
      case UNREADABLE -> CompletableFuture.failedFuture(new RecordFormatException("format 9"));
      case NOT_TAKEN -> CompletableFuture.failedFuture(new StepNotTakenException("slow down"));
      case THROWS -> throw new IllegalStateException("a bug in the store");
    };
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return call("claim", () -> store.claim(request));
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    int size = answer.body() instanceof Body.Full full ? full.bytes().size() : 0;
    if (size > room) {
      calls.add("complete");
      return CompletableFuture.failedFuture(new OutOfRoomException("disk full", null));
    }
    return call("complete", () -> store.complete(lease, answer, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return call("release", () -> store.release(lease));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return call("withdraw", () -> store.withdraw(id, token));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return call("renew", () -> store.renew(lease, length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return call("purge", () -> store.purgeExpired(atMost));
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    Throwable broken = brokenWakeUp;
    if (broken != null) {
      FaultyStore.<RuntimeException>throwUndeclared(broken);
    }
    Throwable stuck = stuckWakeUp;
    if (stuck != null) {
      return () -> FaultyStore.<RuntimeException>throwUndeclared(stuck);
    }
    return wakeUp ? store.watch(id, wake) : () -> {};
  }
}
