package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import java.util.stream.Collectors;

/** Operations and answers as a failed test shows them: in full, because a test has no secrets. */
final class Texts {

  private Texts() {}

  static String of(OperationId id) {
    String key = '"' + id.key().bytes().toUtf8() + '"';
    return id.scope().equals(Scope.GLOBAL) ? key : key + " of " + of(id.scope());
  }

  /** The operations that were asked for. */
  static String keys(RecordingStore store) {
    return store.histories().isEmpty()
        ? "none"
        : store.histories().stream()
            .map(history -> of(history.operation()))
            .sorted()
            .collect(Collectors.joining(", "));
  }

  static String of(Scope scope) {
    return "tenant \"%s\", user \"%s\", route \"%s\""
        .formatted(scope.tenant(), scope.user(), scope.route());
  }

  static String of(Answer answer) {
    String headers = answer.headers().isEmpty() ? "" : " " + answer.headers();
    return answer.outcome() + " " + answer.code() + headers + " " + of(answer.body());
  }

  static String of(Body body) {
    if (body instanceof Body.Full full) {
      return '"' + full.bytes().toUtf8() + '"';
    }
    return body instanceof Body.Digest digest
        ? "(a digest of " + digest.size() + " bytes)"
        : "(body not kept)";
  }
}
