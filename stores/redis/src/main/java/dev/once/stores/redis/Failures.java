package dev.once.stores.redis;

import static java.util.Map.entry;

import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.UnknownPartitionException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * What a failure means. "Not taken" is only said of a step that was never sent whole, or that the
 * server refused before its first write; everything else is of unknown outcome.
 */
final class Failures {

  /** How Lettuce begins to say that it has not sent a command. */
  private static final List<String> NEVER_SENT =
      List.of(
          "Currently not connected",
          "Request queue size exceeded",
          "Command buffer size exceeded",
          "Internal stack size exceeded",
          "Connection is closed");

  /** The server's refusals that come before the first write of a script, and what to do. */
  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          entry(
              "READONLY",
              "this server is a replica now: give the URL of the master, or use Sentinel"),
          entry("LOADING", "the server has just started and is loading its data: wait"),
          entry(
              "CLUSTERDOWN",
              "a part of the cluster has no master: see CLUSTER INFO, restore the node"),
          entry("MASTERDOWN", "this replica has lost its master: give the URL of the master"),
          entry("MISCONF", "the server cannot write its snapshot: look at its log, free its disk"),
          entry(
              "NOREPLICAS", "fewer replicas than min-replicas-to-write: restore them, or lower it"),
          entry("BUSY", "a script of somebody else blocks the server: wait, or SCRIPT KILL"),
          entry("NOAUTH", "the server wants a password: put user:password@ into the URL"),
          entry("MOVED", "the slot has another node now: try again"),
          entry("ASK", "the slot is being moved to another node: try again"),
          entry("WRONGPASS", "the server does not know this user and password: correct them"));

  /** How Redis 7.0 says NOPERM from within a script. */
  private static final String FORBIDDEN_IN_SCRIPT = "ERR The user executing the script";

  private Failures() {}

  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  static boolean isNoScript(Throwable failure) {
    return failure instanceof RedisCommandExecutionException && code(failure).equals("NOSCRIPT");
  }

  static boolean isReadOnly(Throwable failure) {
    return failure instanceof RedisCommandExecutionException && code(failure).equals("READONLY");
  }

  /** This node does not have the slot any more. */
  static boolean isMoved(Throwable failure) {
    return failure instanceof RedisCommandExecutionException && code(failure).equals("MOVED");
  }

  /** There is no connection at this moment, and the command was not sent. */
  static boolean isDisconnected(Throwable failure) {
    return message(failure).startsWith("Currently not connected")
        || failure instanceof RedisConnectionException;
  }

  static StoreException explain(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof StoreException known) {
      return known;
    }
    if (cause instanceof RedisCommandTimeoutException) {
      return new StoreException("redis: no reply in time; whether it was done is unknown", cause);
    }
    if (cause instanceof RedisCommandExecutionException) {
      return refused(cause);
    }
    if (cause instanceof RedisConnectionException
        || cause instanceof PartitionSelectorException
        || cause instanceof UnknownPartitionException
        || NEVER_SENT.stream().anyMatch(message(cause)::startsWith)) {
      return new StepNotTakenException("redis: not sent: " + reasons(cause));
    }
    return new StoreException(
        "redis: " + reasons(cause) + "; whether it was done is unknown", cause);
  }

  private static StoreException refused(Throwable failure) {
    String code = message(failure).startsWith(FORBIDDEN_IN_SCRIPT) ? "NOPERM" : code(failure);
    String remedy = REFUSED.get(code);
    if (remedy != null) {
      return new StepNotTakenException("redis: " + message(failure) + "; " + remedy);
    }
    return switch (code) {
      case "OOM" ->
          new StoreFullException(
              "redis: its memory is full; wait for keys to expire, or raise its maxmemory");
      case "ONCEFORMAT", "WRONGTYPE" ->
          new RecordFormatException(
              "record: damaged, or a newer version of Once wrote it: " + message(failure));
      case "NOPERM" -> forbidden(failure);
      default -> new StoreException("redis: " + message(failure), failure);
    };
  }

  /** What is forbidden to a script may come after its first write. */
  private static StoreException forbidden(Throwable failure) {
    String message =
        "redis: NOPERM: %s; allow it: docs/redis.md has the rules".formatted(message(failure));
    return message(failure).contains("script")
        ? new StoreException(message, failure)
        : new StepNotTakenException(message);
  }

  private static String code(Throwable failure) {
    return message(failure).split(" ", 2)[0];
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** The message and those of its causes: the cause of a failed connection is two levels down. */
  static String reasons(Throwable failure) {
    StringBuilder text = new StringBuilder(message(failure));
    Throwable cause = failure.getCause();
    while (cause != null) {
      if (text.indexOf(message(cause)) < 0) {
        text.append(": ").append(message(cause));
      }
      cause = cause.getCause();
    }
    return text.toString();
  }
}
