package dev.once.http.surfaces;

import dev.once.http.surfaces.Client.Answer;
import dev.once.http.surfaces.Client.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Where one situation is played on one surface, under a key of its own. */
final class Stage {

  /** Longer than any lease here, and far shorter than any retention. */
  private static final Duration LONGER_THAN_A_LEASE = Duration.ofMinutes(6);

  final String key = UUID.randomUUID().toString();
  private final Surface surface;
  private final Situation situation;
  private Request sent;

  Stage(Surface surface, Situation situation) {
    this.surface = surface;
    this.situation = situation;
    sent =
        new Request(
            surface.port(situation.behaviour, true),
            situation.policy.path() + "/" + situation.behaviour.path(),
            key,
            key,
            "a",
            false);
  }

  /** Plays all of it. */
  Outcome play() throws Exception {
    FaultyStore store = surface.store();
    String client = situation.scene.play(this);
    String holds = store.holds(key);
    if (!situation.faultsStay) {
      store.heal(key);
    }
    String retry = situation.retriedAfterLease ? Outcome.NONE : retry();
    String afterLease = Outcome.NONE;
    if (store.holds(key).equals("processing")) {
      store.passes(LONGER_THAN_A_LEASE);
      afterLease = retry();
    }
    store.heal(key);
    return new Outcome(client, holds, retry, afterLease, Script.runs(key));
  }

  private String retry() throws IOException {
    Request again =
        new Request(
            surface.port(situation.behaviour, false),
            sent.path(),
            sent.key(),
            sent.id(),
            sent.body(),
            sent.chunked());
    return Outcome.of(Client.send(again));
  }

  // For scenes.

  /** The request of the situation, with what goes wrong in the store. */
  String send() throws IOException {
    situation.faults.forEach((step, fault) -> surface.store().set(key, step, fault));
    return Outcome.of(Client.send(sent));
  }

  /** A request that came before, and that all went well for. */
  void sendBefore() throws IOException {
    Answer answer = Client.send(sent);
    if (answer.status() != situation.behaviour.status) {
      throw new AssertionError("before: " + answer);
    }
  }

  Stage withClosedEngine() {
    surface.closeEngine();
    return this;
  }

  Stage withKey(String other) {
    sent = sent.withKey(other);
    return this;
  }

  Stage withBody(String other) {
    sent = sent.withBody(other);
    return this;
  }

  Stage inChunks() {
    sent = sent.inChunks();
    return this;
  }

  /** Another client, which does not come back before {@link #openGate}. */
  CompletableFuture<String> sendMeanwhile() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Outcome.of(Client.send(sent));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  void awaitHandler() throws InterruptedException {
    Script.gate(key).awaitReached();
  }

  void openGate() {
    Script.gate(key).open();
  }

  static String await(CompletableFuture<String> seen) throws Exception {
    return seen.get(Client.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Asks, and does not wait for the answer. */
  String sendAndLeave() throws Exception {
    try (Socket socket = Client.start(sent)) {
      awaitHandler();
    }
    openGate();
    surface.store().awaitRecorded(key);
    return "leaves";
  }
}
