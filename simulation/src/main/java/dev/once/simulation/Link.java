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

/** The store as one process sees it: over a network that delays, reorders, loses and repeats. */
final class Link implements Store {

  private final World world;
  private final Incarnation caller;

  Link(World world, Incarnation caller) {
    this.world = world;
    this.caller = caller;
  }

  /**
   * Times of a reply that a process is just being given.
   *
   * @param sentAt when the request was sent
   * @param takenAt when the store took the step
   */
  record ReplyTimes(long sentAt, long takenAt) {}

  /**
   * A call under way.
   *
   * @param take takes the step
   * @param readsFirst whether the step is only begun on arrival
   */
  private record Request<T>(
      Step step,
      @Nullable OperationId id,
      long fence,
      @Nullable Call call,
      boolean late,
      long sentAt,
      Faults.Transfer transfer,
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
    return world.storeKind.isTiered() ? world.lateClaims.contains(token) : call.isOver();
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    Faults.Transfer transfer = world.faults.next();
    if (!transfer.fault().reachesStore()) {
      world.server.recordingFailed(lease);
    }
    Function<Origin, Boolean> take =
        from -> {
          boolean done = world.server.complete(from, lease, answer, retention);
          if (!transfer.fault().replies()) {
            world.server.recordingFailed(lease);
          }
          return done;
        };
    long fence = lease.fence().value();
    return send(
        new Request<>(
            Step.COMPLETE,
            lease.id(),
            fence,
            callOf(lease),
            false,
            world.queue.now(),
            transfer,
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
    Grant grant = world.storeModel.grant(lease.id(), lease.fence().value());
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
    Faults.Transfer transfer = world.faults.next();
    return send(
        new Request<>(
            step,
            id,
            fence,
            call,
            late,
            world.queue.now(),
            transfer,
            new CompletableFuture<>(),
            take,
            readsFirst));
  }

  private <T> CompletionStage<T> send(Request<T> request) {
    if (request.call != null) {
      world.callRules.checkSteps(request.call, request.step);
    }
    Faults.Transfer transfer = request.transfer;
    switch (transfer.fault()) {
      case THROWN -> {
        noteNotTaken(request);
        throw new ConnectionLostException(transfer.fault());
      }
      case IMMEDIATE -> {
        if (world.server.state() == State.UP) {
          takeAtOnce(request);
        } else {
          arrive(request);
        }
      }
      case REFUSED -> {
        noteNotTaken(request);
        world.coverage.saw(Happening.REFUSED_CALL);
        NotTakenException failure = new NotTakenException("refused");
        caller.post(transfer.replyNanos(), () -> request.stage.completeExceptionally(failure));
      }
      case REQUEST_LOST -> {
        noteNotTaken(request);
        fail(request, transfer.requestNanos() + transfer.replyNanos());
      }
      case REQUEST_LOST_SILENTLY -> noteNotTaken(request);
      case TAKEN_AFTER_FAILURE -> {
        fail(request, transfer.replyNanos());
        world.queue.after(transfer.requestNanos(), () -> arrive(request));
      }
      case DUPLICATED -> {
        world.queue.after(transfer.requestNanos(), () -> arrive(request));
        world.queue.after(
            transfer.requestNanos() + world.faults.copyDelay(), () -> arriveAgain(request));
      }
      default -> world.queue.after(transfer.requestNanos(), () -> arrive(request));
    }
    return request.stage;
  }

  private <T> void takeAtOnce(Request<T> request) {
    try {
      request.stage.complete(request.take.apply(origin(request, request.transfer.fault())));
    } catch (StoreException e) {
      note(request, String.valueOf(e.getMessage()));
      request.stage.completeExceptionally(e);
    }
  }

  private <T> void arrive(Request<T> request) {
    State state = world.server.state();
    if (state == State.STOPPED) {
      world.coverage.saw(Happening.STORE_STOPPED);
      world.server.holdBack(() -> arrive(request));
    } else if (state != State.UP) {
      StoreException failure = outageFailure(request, state);
      if (request.transfer.fault() != Fault.DELAYED) {
        caller.post(
            request.transfer.replyNanos(), () -> request.stage.completeExceptionally(failure));
      }
    } else if (request.readsFirst.getAsBoolean()) {
      world.queue.after(world.faults.betweenReadAndWrite(), () -> take(request));
    } else {
      take(request);
    }
  }

  /** The second copy of a request; nobody gets its reply. */
  private <T> void arriveAgain(Request<T> request) {
    if (world.server.state() == State.UP) {
      world.coverage.saw(Happening.DUPLICATED_REQUEST);
      try {
        T unused = request.take.apply(origin(request, Fault.SECOND_COPY));
      } catch (StoreException e) {
        note(request, String.valueOf(e.getMessage()));
      }
    }
  }

  private <T> void take(Request<T> request) {
    Fault fault = request.transfer.fault();
    T reply;
    try {
      reply = request.take.apply(origin(request, fault));
    } catch (StoreException e) {
      note(request, String.valueOf(e.getMessage()));
      if (fault.replies() || fault == Fault.REPLY_LOST) {
        caller.post(request.transfer.replyNanos(), () -> request.stage.completeExceptionally(e));
      }
      return;
    }
    int outages = world.server.outages();
    ReplyTimes times = new ReplyTimes(request.sentAt, world.queue.now());
    if (fault == Fault.TAKEN_AFTER_FAILURE) {
      world.coverage.saw(Happening.REQUEST_AFTER_FAILURE);
    } else if (fault == Fault.DELAYED) {
      world.coverage.saw(Happening.REQUEST_SECONDS_LATE);
    } else if (fault == Fault.REPLY_LOST) {
      fail(request, request.transfer.replyNanos());
    } else if (fault.replies()) {
      if (request.transfer.replyNanos() > world.storeTimeout.toNanos()) {
        world.coverage.saw(Happening.LATE_REPLY);
      }
      world.queue.after(
          request.transfer.replyNanos(),
          () -> {
            boolean lost = world.server.outages() != outages;
            caller.post(0, () -> reply(request, reply, times, lost));
          });
    }
  }

  private <T> void reply(Request<T> request, T reply, ReplyTimes times, boolean lost) {
    if (lost) {
      world.coverage.saw(Happening.STORE_OUTAGE);
      request.stage.completeExceptionally(new ConnectionLostException("reply lost in an outage"));
    } else {
      world.currentReply = times;
      request.stage.complete(reply);
      world.currentReply = null;
    }
  }

  private <T> void fail(Request<T> request, long nanos) {
    ConnectionLostException failure = new ConnectionLostException(request.transfer.fault());
    caller.post(nanos, () -> request.stage.completeExceptionally(failure));
  }

  private StoreException outageFailure(Request<?> request, State state) {
    world.coverage.saw(Happening.STORE_OUTAGE);
    String why = state == State.REFUSING ? "store refuses connections" : "store is down";
    note(request, why);
    return state == State.REFUSING ? new NotTakenException(why) : new ConnectionLostException(why);
  }

  private void noteNotTaken(Request<?> request) {
    note(request, request.transfer.fault().label());
  }

  private void note(Request<?> request, String fault) {
    world.history.add(
        caller.who(), request.step.label(), request.id, request.fence, "not taken", fault);
  }

  private Origin origin(Request<?> request, Fault fault) {
    return new Origin(caller, request.call, request.late, fault);
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
