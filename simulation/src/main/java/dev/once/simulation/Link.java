package dev.once.simulation;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreException;
import dev.once.simulation.StoreServer.Origin;
import dev.once.simulation.StoreServer.State;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The store as one process sees it: over a network that delays, reorders, loses and doubles. */
final class Link implements Store {

  private final World world;
  private final Incarnation caller;

  Link(World world, Incarnation caller) {
    this.world = world;
    this.caller = caller;
  }

  /**
   * A reply that a process is just being given.
   *
   * @param sentAt when it was asked for
   * @param takenAt when the store took the step
   */
  record Replying(long sentAt, long takenAt) {}

  /**
   * A call under way.
   *
   * @param take takes the step
   * @param readsFirst whether the step is only begun on arrival
   */
  private record Sent<T>(
      Step step,
      @Nullable OperationId id,
      long fence,
      @Nullable Call call,
      boolean late,
      long sentAt,
      Faults.Way way,
      CompletableFuture<T> stage,
      Function<Origin, T> take,
      BooleanSupplier readsFirst) {}

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    Call call = world.callOf(caller, request);
    return send(
        Step.CLAIM,
        request.id(),
        0,
        call,
        call != null && isLate(call, request.token()),
        from -> world.server.claim(from, request),
        () -> world.server.readsFirst(request));
  }

  /** A tiered store may still be looking into its cache when the engine has given up. */
  private boolean isLate(Call call, long token) {
    return world.form.isTiered() ? world.askedLate.contains(token) : call.isOver();
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    Faults.Way way = world.faults.next();
    if (!way.fault().reachesStore()) {
      world.server.recordingFailed(lease);
    }
    Function<Origin, Boolean> take =
        from -> {
          boolean done = world.server.complete(from, lease, answer, retention);
          if (!way.fault().replies()) {
            world.server.recordingFailed(lease);
          }
          return done;
        };
    long fence = lease.fence().value();
    return send(
        new Sent<>(
            Step.COMPLETE,
            lease.id(),
            fence,
            callOf(lease),
            false,
            world.queue.now(),
            way,
            new CompletableFuture<>(),
            take,
            () -> false));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return send(
        Step.RELEASE,
        lease.id(),
        lease.fence().value(),
        callOf(lease),
        false,
        from -> world.server.release(from, lease),
        () -> false);
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return send(
        Step.WITHDRAW,
        id,
        0,
        world.calls.get(token),
        false,
        from -> world.server.withdraw(from, id, token),
        () -> false);
  }

  private @Nullable Call callOf(Lease lease) {
    Grant grant = world.ledger.grant(lease.id(), lease.fence().value());
    return grant == null ? null : grant.claimer.call();
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    world.runRules.renewing(lease);
    return send(
        Step.RENEW,
        lease.id(),
        lease.fence().value(),
        callOf(lease),
        false,
        from -> world.server.renew(from, lease, length),
        () -> false);
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return send(
        Step.PURGE,
        null,
        0,
        null,
        false,
        from -> world.server.purgeExpired(from, atMost),
        () -> false);
  }

  private <T> CompletionStage<T> send(
      Step step,
      @Nullable OperationId id,
      long fence,
      @Nullable Call call,
      boolean late,
      Function<Origin, T> take,
      BooleanSupplier readsFirst) {
    Faults.Way way = world.faults.next();
    return send(
        new Sent<>(
            step,
            id,
            fence,
            call,
            late,
            world.queue.now(),
            way,
            new CompletableFuture<>(),
            take,
            readsFirst));
  }

  private <T> CompletionStage<T> send(Sent<T> sent) {
    if (sent.call != null) {
      world.callRules.asked(sent.call, sent.step);
    }
    Faults.Way way = sent.way;
    switch (way.fault()) {
      case THROWN -> {
        noteNotTaken(sent);
        throw new LostException(way.fault());
      }
      case IMMEDIATE -> {
        if (world.server.state() == State.UP) {
          takeAtOnce(sent);
        } else {
          arrive(sent);
        }
      }
      case REFUSED -> {
        noteNotTaken(sent);
        world.coverage.saw(Happening.REFUSED_CALL);
        RefusedException failure = new RefusedException("refused");
        caller.post(way.back(), () -> sent.stage.completeExceptionally(failure));
      }
      case REQUEST_LOST -> {
        noteNotTaken(sent);
        fail(sent, way.there() + way.back());
      }
      case REQUEST_VANISHED -> noteNotTaken(sent);
      case STRAY -> {
        fail(sent, way.back());
        world.queue.after(way.there(), () -> arrive(sent));
      }
      case DUPLICATED -> {
        world.queue.after(way.there(), () -> arrive(sent));
        world.queue.after(way.there() + world.faults.copyDelay(), () -> arriveAgain(sent));
      }
      default -> world.queue.after(way.there(), () -> arrive(sent));
    }
    return sent.stage;
  }

  private <T> void takeAtOnce(Sent<T> sent) {
    try {
      sent.stage.complete(sent.take.apply(origin(sent, sent.way.fault())));
    } catch (StoreException e) {
      note(sent, String.valueOf(e.getMessage()));
      sent.stage.completeExceptionally(e);
    }
  }

  private <T> void arrive(Sent<T> sent) {
    State state = world.server.state();
    if (state == State.STOPPED) {
      world.coverage.saw(Happening.STORE_STOPPED);
      world.server.holdBack(() -> arrive(sent));
    } else if (state != State.UP) {
      StoreException failure = metOutage(sent, state);
      if (sent.way.fault() != Fault.HELD) {
        caller.post(sent.way.back(), () -> sent.stage.completeExceptionally(failure));
      }
    } else if (sent.readsFirst.getAsBoolean()) {
      world.queue.after(world.faults.betweenReadAndWrite(), () -> take(sent));
    } else {
      take(sent);
    }
  }

  /** The copy of a request: its reply finds nobody. */
  private <T> void arriveAgain(Sent<T> sent) {
    if (world.server.state() == State.UP) {
      world.coverage.saw(Happening.DUPLICATED_REQUEST);
      try {
        T unused = sent.take.apply(origin(sent, Fault.COPY));
      } catch (StoreException e) {
        note(sent, String.valueOf(e.getMessage()));
      }
    }
  }

  private <T> void take(Sent<T> sent) {
    Fault fault = sent.way.fault();
    T reply;
    try {
      reply = sent.take.apply(origin(sent, fault));
    } catch (StoreException e) {
      note(sent, String.valueOf(e.getMessage()));
      if (fault.replies() || fault == Fault.REPLY_LOST) {
        caller.post(sent.way.back(), () -> sent.stage.completeExceptionally(e));
      }
      return;
    }
    int outages = world.server.outages();
    Replying replying = new Replying(sent.sentAt, world.queue.now());
    if (fault == Fault.STRAY) {
      world.coverage.saw(Happening.STRAY_REQUEST);
    } else if (fault == Fault.HELD) {
      world.coverage.saw(Happening.HELD_REQUEST);
    } else if (fault == Fault.REPLY_LOST) {
      fail(sent, sent.way.back());
    } else if (fault.replies()) {
      if (sent.way.back() > world.storeTimeout.toNanos()) {
        world.coverage.saw(Happening.LATE_REPLY);
      }
      world.queue.after(
          sent.way.back(),
          () -> {
            boolean lost = world.server.outages() != outages;
            caller.post(0, () -> reply(sent, reply, replying, lost));
          });
    }
  }

  private <T> void reply(Sent<T> sent, T reply, Replying replying, boolean lost) {
    if (lost) {
      world.coverage.saw(Happening.STORE_OUTAGE);
      sent.stage.completeExceptionally(new LostException("reply lost in an outage"));
    } else {
      world.replying = replying;
      sent.stage.complete(reply);
      world.replying = null;
    }
  }

  private <T> void fail(Sent<T> sent, long nanos) {
    LostException failure = new LostException(sent.way.fault());
    caller.post(nanos, () -> sent.stage.completeExceptionally(failure));
  }

  private StoreException metOutage(Sent<?> sent, State state) {
    world.coverage.saw(Happening.STORE_OUTAGE);
    String why = state == State.REFUSING ? "store refuses connections" : "store is down";
    note(sent, why);
    return state == State.REFUSING ? new RefusedException(why) : new LostException(why);
  }

  private void noteNotTaken(Sent<?> sent) {
    note(sent, sent.way.fault().label());
  }

  private void note(Sent<?> sent, String fault) {
    world.history.add(caller.who(), sent.step.label(), sent.id, sent.fence, "not taken", fault);
  }

  private Origin origin(Sent<?> sent, Fault fault) {
    return new Origin(caller, sent.call, sent.late, fault);
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    Watch watch = world.server.watch(caller, id, world.wakeUps ? () -> wakeUp(wake) : () -> {});
    return () -> {
      if (world.mutant != Mutant.WATCH_LEFT_OPEN) {
        watch.close();
      }
    };
  }

  private void wakeUp(Runnable wake) {
    long delay = world.faults.wakeUp();
    if (delay >= 0) {
      caller.post(delay, wake);
    }
  }

  @Override
  public StoreCapabilities capabilities() {
    return new StoreCapabilities(true, true, world.wakeUps, false, Policy.MAX_STORED_BODY);
  }

  @Override
  public Inspection inspection() {
    return new Inspection() {
      @Override
      public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
        return completedFuture(world.server.find(id));
      }

      @Override
      public CompletionStage<Counts> count() {
        throw new UnsupportedOperationException("count: nobody asks");
      }

      @Override
      public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
        return completedFuture(world.server.forceRelease(id, seen));
      }
    };
  }

  @Override
  public void close() {}
}
