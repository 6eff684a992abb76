package dev.once.http.conformance.rules;

import dev.once.http.conformance.Target;
import dev.once.http.conformance.rules.ReplayDetection.ObservedReply;
import dev.once.http.conformance.wire.Backoff;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.RawWire;
import dev.once.http.conformance.wire.Reply;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One run against one server: what the checks use to ask it. Confined to one thread. */
final class Session {

  /** How long a counter may lag behind the answers. */
  private static final Duration LAG = Duration.ofMillis(500);

  private final Target target;
  private final Wire wire;
  private final @Nullable Counter counter;
  private final ServerDiscovery discovery;
  private @Nullable Race race;
  private @Nullable NoAnswerException noRace;
  private @Nullable List<Refusal> refusals;

  Session(Target target, Wire wire, @Nullable Counter counter, ServerDiscovery discovery) {
    this.target = target;
    this.wire = wire;
    this.counter = counter;
    this.discovery = discovery;
  }

  Target target() {
    return target;
  }

  Requests requests() {
    return discovery.requests();
  }

  ReplayDetection replayDetection() {
    return discovery.replayDetection();
  }

  /** The refusal of a key that was an RFC 8941 String, if there was one. */
  @Nullable Exchange refusedString() {
    return discovery.refusedString();
  }

  @Nullable Counter counter() {
    return counter;
  }

  boolean busy(Reply reply) {
    return target.answers().busy().contains(reply.status());
  }

  Exchange send(Request request) throws NoAnswerException {
    return wire.send(request);
  }

  /** A new operation that is done, for a check to build on. */
  Exchange make() throws NoAnswerException, NotProcessedException {
    return make(requests().fresh());
  }

  Exchange make(Request request) throws NoAnswerException, NotProcessedException {
    Exchange exchange = send(request);
    if (!exchange.reply().ok()) {
      throw new NotProcessedException(exchange);
    }
    return exchange;
  }

  Wire.Pending start(Request request) {
    return wire.start(request);
  }

  Exchange sendRaw(Request request) throws NoAnswerException {
    return new RawWire(target.transport()).send(request);
  }

  ObservedReply observe(Request request) throws NoAnswerException {
    return observe(request, 0);
  }

  /** Sends and counts; waits a moment for a counter that has not grown as it should. */
  ObservedReply observe(Request request, int expectedEffects) throws NoAnswerException {
    OptionalLong before = count();
    Exchange exchange = send(request);
    return new ObservedReply(exchange, growthSince(before, expectedEffects));
  }

  OptionalLong count() throws NoAnswerException {
    return counter == null ? OptionalLong.empty() : OptionalLong.of(counter.read());
  }

  OptionalLong growthSince(OptionalLong before, int expected) throws NoAnswerException {
    if (before.isEmpty()) {
      return before;
    }
    Backoff pause = new Backoff(LAG);
    long growth = count().orElseThrow() - before.getAsLong();
    while (growth < expected && pause.again()) {
      growth = count().orElseThrow() - before.getAsLong();
    }
    return OptionalLong.of(growth);
  }

  /** Repeats a request until its operation is over, or the time is. */
  Exchange untilNotBusy(Request request) throws NoAnswerException {
    Backoff pause = new Backoff(target.transport().requestTimeout());
    Exchange exchange = send(request);
    while (busy(exchange.reply()) && pause.again()) {
      exchange = send(request);
    }
    return exchange;
  }

  /** Many requests with one key at once; run when first asked for. */
  Race race() throws NoAnswerException {
    if (noRace != null) {
      throw noRace;
    }
    if (race == null) {
      try {
        race = Race.run(this);
      } catch (NoAnswerException e) {
        noRace = e;
        throw e;
      }
    }
    return race;
  }

  /** The refusals that this server can be brought to; gathered when first asked for. */
  List<Refusal> refusals() {
    if (refusals == null) {
      refusals = Refusal.gather(this);
    }
    return refusals;
  }

  void pause(Duration duration) {
    Backoff.sleep(duration.toMillis());
  }
}
