package dev.once.http.surfaces;

import static dev.once.http.surfaces.Behaviour.ANSWERS_A_LOT;
import static dev.once.http.surfaces.Behaviour.ANSWERS_TOO_LATE;
import static dev.once.http.surfaces.Behaviour.ASKS_WHO_IT_IS;
import static dev.once.http.surfaces.Behaviour.BREAKS_OFF;
import static dev.once.http.surfaces.Behaviour.DOES_NOT_RUN;
import static dev.once.http.surfaces.Behaviour.FAILS;
import static dev.once.http.surfaces.Behaviour.REDIRECTS;
import static dev.once.http.surfaces.Behaviour.REJECTS;
import static dev.once.http.surfaces.Behaviour.SAYS_NOT_NOW;
import static dev.once.http.surfaces.Behaviour.SENDS_INVALID_HEADER;
import static dev.once.http.surfaces.Behaviour.SENDS_ODD_HEADER;
import static dev.once.http.surfaces.Behaviour.STREAMS;
import static dev.once.http.surfaces.Behaviour.STREAMS_AND_BREAKS_OFF;
import static dev.once.http.surfaces.Behaviour.STREAMS_AND_THROWS;
import static dev.once.http.surfaces.Behaviour.THROWS;
import static dev.once.http.surfaces.Behaviour.WAITS;
import static dev.once.http.surfaces.FaultyStore.Step.CLAIM;
import static dev.once.http.surfaces.FaultyStore.Step.COMPLETE;
import static dev.once.http.surfaces.FaultyStore.Step.RELEASE;
import static dev.once.http.surfaces.FaultyStore.Step.WITHDRAW;
import static dev.once.http.surfaces.Surface.Kind.GATEWAY;
import static dev.once.http.surfaces.Surface.Kind.WEBFLUX;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The table: what every surface does, situation by situation. */
final class Situations {

  private static final String BUSY = "409 still-running";
  private static final String UNKNOWN = "409 outcome-unknown";
  private static final String NO_EXCEPTIONS = "A service sends an answer, or breaks off.";
  private static final String A_SERVICE = "It is the service behind that broke off.";

  private static final String OWN_TIMEOUT =
      "It waits for its own `response-timeout`, and says 504; the rest is the same.";
  private static final String NO_TIMEOUT = "Its container waits.";

  /** Situations that have something in common. */
  record Group(String title, List<Situation> situations) {

    private static Group of(String title, Situation... situations) {
      return new Group(title, List.of(situations));
    }
  }

  static final List<Group> GROUPS =
      List.of(
          Group.of(
              "The handler answers",
              situation("The handler succeeds").expect("201", "done 201", "201 replayed", 1),
              situation("The handler answers 4xx")
                  .handler(REJECTS)
                  .expect("402", "failed 402", "402 replayed", 1),
              situation("The handler answers 4xx, and the policy releases those")
                  .handler(REJECTS)
                  .policy(Policies.REJECTIONS_RELEASED)
                  .expect("402", "free", "402", 2),
              situation("The handler answers 5xx")
                  .handler(FAILS)
                  .expect("503", "failed 503", "503 replayed", 1),
              situation("The handler answers 5xx, and the policy releases those")
                  .handler(FAILS)
                  .policy(Policies.FAILURES_RELEASED)
                  .expect("503", "free", "503", 2),
              situation("The handler sends the client elsewhere, 307")
                  .handler(REDIRECTS)
                  .expect("307", "free", "307", 2),
              situation("The handler asks who it is, 401")
                  .handler(ASKS_WHO_IT_IS)
                  .expect("401", "free", "401", 2),
              situation("The handler says not now, 429")
                  .handler(SAYS_NOT_NOW)
                  .expect("429", "free", "429", 2),
              situation("The policy keeps the status only")
                  .policy(Policies.STATUS_ONLY)
                  .expect("201", "done 201, status only", "201 replayed, not kept", 1),
              situation("The answer is too large to keep")
                  .handler(STREAMS)
                  .policy(Policies.SMALL)
                  .expect("200", "done 200, digest", "200 replayed, not kept", 1),
              situation("The answer is too large to keep, and comes at once")
                  .handler(ANSWERS_A_LOT)
                  .policy(Policies.SMALL)
                  .expect("200", "done 200, digest", "200 replayed, not kept", 1),
              situation("The answer has a header field with a control character")
                  .handler(SENDS_ODD_HEADER)
                  .expect("201", "done 201", "201 replayed", 1),
              situation("The client leaves before the answer")
                  .handler(WAITS)
                  .scene(Stage::sendAndLeave)
                  .expect("leaves", "done 201", "201 replayed", 1)),
          Group.of(
              "The handler does not answer",
              situation("The handler throws an exception")
                  .handler(THROWS)
                  .notAt(GATEWAY, NO_EXCEPTIONS)
                  .expect("500", "failed 500", "500 replayed", 1),
              situation("The handler throws an exception, and the policy releases failures")
                  .handler(THROWS)
                  .policy(Policies.FAILURES_RELEASED)
                  .notAt(GATEWAY, NO_EXCEPTIONS)
                  .expect("500", "free", "500", 2),
              situation("The handler says that it did not run, or cannot be reached")
                  .handler(DOES_NOT_RUN)
                  .expect("500", "free", "201", 1)
                  .at(
                      GATEWAY,
                      "Nothing throws there.",
                      new Outcome("502 upstream-unreachable", "free", "201", Outcome.NONE, 1)),
              situation("The handler throws an Error, or is cut off in its answer")
                  .handler(BREAKS_OFF)
                  .expect(UNKNOWN, "processing", BUSY, UNKNOWN, 1)
                  .at(
                      GATEWAY,
                      A_SERVICE,
                      new Outcome("502 upstream-failed", "processing", BUSY, UNKNOWN, 1)),
              situation(
                      "The handler throws an Error, or is cut off, and the policy says to run it again")
                  .handler(BREAKS_OFF)
                  .policy(Policies.RUN_AGAIN)
                  .expect(UNKNOWN, "processing", BUSY, UNKNOWN, 2)
                  .at(
                      GATEWAY,
                      A_SERVICE,
                      new Outcome(
                          "502 upstream-failed", "processing", BUSY, "502 upstream-failed", 2)),
              situation("The handler throws an exception in an answer that is too large to keep")
                  .handler(STREAMS_AND_THROWS)
                  .policy(Policies.SMALL)
                  .expect("200, cut off", "failed 500", "500 replayed", 1)
                  .at(
                      GATEWAY,
                      A_SERVICE,
                      new Outcome("200, cut off", "processing", BUSY, UNKNOWN, 1)),
              situation("The handler throws an Error in an answer that is too large to keep")
                  .handler(STREAMS_AND_BREAKS_OFF)
                  .policy(Policies.SMALL)
                  .expect("200, cut off", "processing", BUSY, UNKNOWN, 1),
              situation("The handler answers later than the container waits")
                  .handler(ANSWERS_TOO_LATE)
                  .notAt(GATEWAY, OWN_TIMEOUT)
                  .notAt(WEBFLUX, NO_TIMEOUT)
                  .expect("503", "processing", BUSY, UNKNOWN, 1),
              situation(
                      "The handler answers later than the container waits, and the policy releases failures")
                  .handler(ANSWERS_TOO_LATE)
                  .policy(Policies.FAILURES_RELEASED)
                  .notAt(GATEWAY, OWN_TIMEOUT)
                  .notAt(WEBFLUX, NO_TIMEOUT)
                  .expect("503", "processing", BUSY, UNKNOWN, 1)),
          Group.of(
              "The answer cannot be recorded, or the key not released",
              situation("The answer has a header field that must not be recorded")
                  .handler(SENDS_INVALID_HEADER)
                  .expect(UNKNOWN, "processing", BUSY, UNKNOWN, 1)
                  .at(
                      GATEWAY,
                      "What has such a field is refused as a whole, before it is an answer.",
                      new Outcome("502 upstream-failed", "processing", BUSY, UNKNOWN, 1)),
              situation("The store does not record the answer")
                  .store(COMPLETE, Fault.CLOSED)
                  .expect(UNKNOWN, "processing", BUSY, UNKNOWN, 1),
              situation("The store does not reply when the answer is to be recorded")
                  .policy(Policies.SHORT_LEASE)
                  .store(COMPLETE, Fault.HANGS)
                  .retriedAfterLease()
                  .expect(UNKNOWN, "processing", Outcome.NONE, UNKNOWN, 1),
              situation("The store records the answer, and its reply is lost")
                  .store(COMPLETE, Fault.REPLY_LOST)
                  .expect("201", "done 201", "201 replayed", 1),
              situation("Another owner has taken over, and has recorded 202")
                  .store(COMPLETE, Fault.TAKEN_OVER)
                  .expect("409 taken-over", "done 202", "202 replayed", 1),
              situation("The answer is too large to keep, and the store does not record it")
                  .handler(STREAMS)
                  .policy(Policies.SMALL)
                  .store(COMPLETE, Fault.CLOSED)
                  .expect("200, cut off", "processing", BUSY, UNKNOWN, 1),
              situation(
                      "The answer is too large to keep, comes at once, and the store does not record it")
                  .handler(ANSWERS_A_LOT)
                  .policy(Policies.SMALL)
                  .store(COMPLETE, Fault.CLOSED)
                  .expect(UNKNOWN, "processing", BUSY, UNKNOWN, 1)
                  .at(
                      GATEWAY,
                      "The head has been sent.",
                      new Outcome("200, cut off", "processing", BUSY, UNKNOWN, 1)),
              situation("The answer is too large to keep, and another owner has taken over")
                  .handler(STREAMS)
                  .policy(Policies.SMALL)
                  .store(COMPLETE, Fault.TAKEN_OVER)
                  .expect("200, cut off", "done 202", "202 replayed", 1),
              situation("The handler says not now, and the reply of the release is lost")
                  .handler(SAYS_NOT_NOW)
                  .store(RELEASE, Fault.REPLY_LOST)
                  .expect("429", "free", "429", 2),
              situation("The handler says not now, and the store does not release the key")
                  .handler(SAYS_NOT_NOW)
                  .policy(Policies.SHORT_LEASE)
                  .store(RELEASE, Fault.FAILS)
                  .store(WITHDRAW, Fault.FAILS)
                  .faultsStay()
                  .retriedAfterLease()
                  .expect("429", "processing", Outcome.NONE, UNKNOWN, 1)),
          Group.of(
              "The request does not begin",
              situation("The store fails")
                  .store(CLAIM, Fault.FAILS)
                  .expect("503 store-down", "free", "201", 1),
              situation("The store does not reply")
                  .store(CLAIM, Fault.HANGS)
                  .expect("503 store-down", "free", "201", 1),
              situation("The store claims the key, and its reply is lost")
                  .store(CLAIM, Fault.REPLY_LOST)
                  .expect("201", "done 201", "201 replayed", 1),
              situation("The store fails, and the policy says to go on")
                  .policy(Policies.WITHOUT_STORE)
                  .store(CLAIM, Fault.FAILS)
                  .expect("201", "free", "201", 2),
              situation("The store has no room for another key")
                  .store(CLAIM, Fault.FULL)
                  .expect("503 store-full", "free", "201", 1),
              situation("The engine is closed")
                  .ownSurface()
                  .notAt(GATEWAY, "Its port is closed before its engine.")
                  .scene(stage -> stage.withClosedEngine().send())
                  .expect("503 store-down", "free", "503 store-down", 0),
              situation("The engine fails")
                  .store(CLAIM, Fault.NONSENSE)
                  .expect("503 store-down", "free", "201", 1),
              situation("The body is too large")
                  .policy(Policies.SMALL)
                  .scene(stage -> stage.withBody("a".repeat(2000)).send())
                  .expect("413 body-too-large", "free", "413 body-too-large", 0),
              situation("The body is too large, and does not say so before")
                  .policy(Policies.SMALL)
                  .scene(stage -> stage.withBody("a".repeat(2000)).inChunks().send())
                  .expect("413 body-too-large", "free", "413 body-too-large", 0),
              situation("The key is missing, and required")
                  .policy(Policies.KEY_REQUIRED)
                  .scene(stage -> stage.withKey(null).send())
                  .expect("400 key-missing", "free", "400 key-missing", 0),
              situation("The key is malformed")
                  .scene(stage -> stage.withKey("\"" + stage.key).send())
                  .expect("400 key-malformed", "free", "400 key-malformed", 0)),
          Group.of(
              "There is a record already",
              situation("The key was used for another request")
                  .scene(
                      stage -> {
                        stage.sendBefore();
                        return stage.withBody("b").send();
                      })
                  .expect("422 key-reused", "done 201", "422 key-reused", 1),
              situation("The first request still runs")
                  .handler(WAITS)
                  .scene(
                      stage -> {
                        CompletableFuture<String> first = stage.sendMeanwhile();
                        stage.awaitHandler();
                        String seen = stage.send();
                        stage.openGate();
                        return seen + "; the first gets " + Stage.await(first);
                      })
                  .expect(BUSY + "; the first gets 201", "done 201", "201 replayed", 1),
              situation("The first request still runs, and the policy says to wait")
                  .handler(WAITS)
                  .policy(Policies.WAITING)
                  .scene(
                      stage -> {
                        CompletableFuture<String> first = stage.sendMeanwhile();
                        stage.awaitHandler();
                        CompletableFuture<String> second = stage.sendMeanwhile();
                        stage.openGate();
                        return Stage.await(second) + "; the first gets " + Stage.await(first);
                      })
                  .expect("201 replayed; the first gets 201", "done 201", "201 replayed", 1),
              situation("The record has a header field that no answer can have")
                  .store(CLAIM, Fault.INVALID_HEADER)
                  .scene(Situations::sendAgain)
                  .expect("500 outcome-unknown", "done 201", "201 replayed", 1),
              situation("The record cannot be read")
                  .store(CLAIM, Fault.UNREADABLE)
                  .scene(Situations::sendAgain)
                  .expect(UNKNOWN, "done 201", "201 replayed", 1)));

  private Situations() {}

  static Stream<Situation> all() {
    return GROUPS.stream().flatMap(group -> group.situations().stream());
  }

  private static Situation situation(String title) {
    return new Situation(title);
  }

  private static String sendAgain(Stage stage) throws Exception {
    stage.sendBefore();
    return stage.send();
  }
}
