package dev.once.http.surfaces;

import dev.once.core.NotRunException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plays behaviours, for the handlers of all surfaces, and counts what they did. Requests are told
 * apart by their {@link #CASE}.
 */
final class Script {

  /** A header that every request of one case has. */
  static final String CASE = "X-Case";

  /** How every answer of a handler begins. */
  static final String DONE = "done by ";

  private static final int PIECE = 16 * 1024;
  private static final int PIECES = 8;

  private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();
  private static final Set<String> NOT_RUN = ConcurrentHashMap.newKeySet();
  private static final Map<String, Gate> GATES = new ConcurrentHashMap<>();

  private Script() {}

  /** Where a handler waits for the test. */
  record Gate(CountDownLatch reached, CountDownLatch opened) {

    void awaitReached() throws InterruptedException {
      await(reached);
    }

    void open() {
      opened.countDown();
    }

    private void pass() {
      reached.countDown();
      try {
        await(opened);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted at the gate", e);
      }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
      if (!latch.await(Client.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("gate: nobody came (expected: soon)");
      }
    }
  }

  /** A handler that ends like this says nothing about what it did. */
  static final class BrokenOff extends Error {
    private static final long serialVersionUID = 1;

    BrokenOff() {
      super("told to break off");
    }
  }

  /**
   * An answer to give.
   *
   * @param end how it ends after all pieces
   */
  record ScriptedAnswer(int status, Map<String, String> fields, List<String> pieces, End end) {}

  /** How an answer ends. */
  enum End {
    WELL,
    IN_AN_EXCEPTION,
    IN_AN_ERROR;

    /** Says nothing, or throws. */
    void apply() {
      if (this == IN_AN_EXCEPTION) {
        throw new IllegalStateException("told to throw");
      }
      if (this == IN_AN_ERROR) {
        throw new BrokenOff();
      }
    }

    private static End of(Behaviour behaviour) {
      return switch (behaviour) {
        case THROWS, STREAMS_AND_THROWS -> IN_AN_EXCEPTION;
        case BREAKS_OFF, STREAMS_AND_BREAKS_OFF -> IN_AN_ERROR;
        default -> WELL;
      };
    }
  }

  static Gate gate(String id) {
    return GATES.computeIfAbsent(id, any -> new Gate(new CountDownLatch(1), new CountDownLatch(1)));
  }

  static int runs(String id) {
    AtomicInteger runs = RUNS.get(id);
    return runs == null ? 0 : runs.get();
  }

  static ScriptedAnswer play(Behaviour behaviour, String id) {
    if (behaviour == Behaviour.DOES_NOT_RUN && NOT_RUN.add(id)) {
      throw new NotRunException("told to do nothing");
    }
    int run = RUNS.computeIfAbsent(id, any -> new AtomicInteger()).incrementAndGet();
    if (behaviour == Behaviour.WAITS) {
      gate(id).pass();
    }
    String body = DONE + "run " + run;
    return new ScriptedAnswer(
        behaviour.status, fields(behaviour), pieces(behaviour, body), End.of(behaviour));
  }

  /** The first time somewhere else decides that nothing ran. */
  static void notRun(String id) {
    NOT_RUN.add(id);
  }

  private static Map<String, String> fields(Behaviour behaviour) {
    return switch (behaviour) {
      case REDIRECTS -> Map.of("Location", "/elsewhere");
      case SENDS_INVALID_HEADER -> Map.of("X-Note", "one\u0000two");
      case SENDS_ODD_HEADER -> Map.of("X-Note", "one\u0007two");
      default -> Map.of("X-Note", "one");
    };
  }

  private static List<String> pieces(Behaviour behaviour, String start) {
    String piece = (start + ", ").repeat(PIECE / start.length());
    return switch (behaviour) {
      case THROWS -> List.of();
      case BREAKS_OFF -> List.of(start);
      case ANSWERS_A_LOT -> List.of(piece);
      case STREAMS, STREAMS_AND_THROWS, STREAMS_AND_BREAKS_OFF ->
          Collections.nCopies(PIECES, piece);
      default -> List.of(start);
    };
  }
}
