package dev.once.http.gateway;

import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpClosedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs why a request got no answer from the upstream, never with bytes that it sent. */
final class UpstreamLog {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final int LONGEST = 200;

  private UpstreamLog() {}

  static void unreachable(ServerHead head, @Nullable Throwable failure) {
    // Nothing of the request is in it: it was not sent.
    warn(head, "the upstream cannot be reached", String.valueOf(failure));
  }

  static void noAnswer(ServerHead head, @Nullable Throwable failure) {
    warn(head, "no answer of the upstream", reason(failure));
  }

  /** A mistake of ours. */
  static void failed(@Nullable ServerHead head, Throwable failure) {
    String what = head == null ? "a request" : head.method() + " " + shortened(head.path());
    log.error("{}: could not be handled", what, failure);
  }

  private static void warn(ServerHead head, String what, String why) {
    log.warn("{} {}: {}: {}", head.method(), shortened(head.path()), what, shortened(why));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private static String reason(@Nullable Throwable failure) {
    if (Upstream.isTimeout(failure)) {
      return "it was silent for too long (see response-timeout)";
    }
    if (failure instanceof BadAnswerException) {
      return String.valueOf(failure.getMessage());
    }
    if (failure instanceof TooLongHttpHeaderException) {
      return "the head is over " + AnswerDecoder.LONGEST_HEAD + " bytes";
    }
    if (failure instanceof TooLongHttpLineException) {
      return "a line is too long";
    }
    if (failure instanceof IOException
        || failure instanceof HttpClosedException
        || failure instanceof PrematureChannelClosureException) {
      return "the connection was closed before its end";
    }
    String message = String.valueOf(failure == null ? null : failure.getMessage());
    return message.contains("Content-Length")
        ? "Content-Length: not a number, or two"
        : "the head is not HTTP";
  }
}
