package dev.once.http.semantics;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Outcome;
import dev.once.core.Refusal;
import dev.once.core.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A request that carries a good key, and the policy that it is under. */
public final class ProtectedRequest {

  /** They say "not now" or "not you", and nothing about the operation: never recorded. */
  private static final Set<Integer> NEVER_RECORDED = Set.of(401, 425, 429);

  private final Rules rules;
  private final HttpPolicy policy;
  private final RequestHead head;
  private final Scope scope;
  private final Key key;

  ProtectedRequest(Rules rules, HttpPolicy policy, RequestHead head, Scope scope, Key key) {
    this.rules = rules;
    this.policy = policy;
    this.head = head;
    this.scope = scope;
    this.key = key;
  }

  public HttpPolicy policy() {
    return policy;
  }

  public RequestHead head() {
    return head;
  }

  public Scope scope() {
    return scope;
  }

  public Key key() {
    return key;
  }

  // Before it runs.

  /** The body as the fingerprint sees it. */
  public CanonicalBody canonical(Bytes body) {
    return CanonicalBody.of(head.header("Content-Type"), head.header("Content-Encoding"), body);
  }

  /** The operation that this request asks for. */
  public Operation operation(Bytes body) {
    Fingerprint fingerprint = fingerprint(canonical(body));
    Scope identity =
        switch (policy.identity()) {
          case KEY -> scope;
          case KEY_AND_REQUEST ->
              new Scope(scope.tenant(), scope.user(), "request:" + fingerprint.hash().toHex());
        };
    return new Operation(new OperationId(identity, key), fingerprint, policy.policy());
  }

  /** What was asked: method, path, query, canonical body and critical headers. */
  private Fingerprint fingerprint(CanonicalBody body) {
    List<Bytes> parts = new ArrayList<>();
    String query = head.query();
    parts.add(Bytes.utf8(head.method()));
    parts.add(Bytes.utf8(head.path()));
    parts.add(query == null ? Bytes.EMPTY : Bytes.utf8(query));
    parts.add(Bytes.utf8(body.kind().name()));
    parts.add(body.bytes());
    for (String name : policy.criticalHeaders()) {
      List<String> lines = head.headers(name);
      parts.add(Bytes.utf8(name.toLowerCase(Locale.ROOT)));
      parts.add(Bytes.utf8(String.valueOf(lines.size())));
      lines.forEach(line -> parts.add(Bytes.utf8(line)));
    }
    return Fingerprint.of(parts.toArray(Bytes[]::new));
  }

  // Without running.

  /** What a request gets whose body is over the limit. */
  public Reply tooLarge() {
    return rules
        .problems()
        .problem(
            policy,
            413,
            ProblemType.BODY_TOO_LARGE,
            "With a key, a request may have a body of %d bytes.".formatted(policy.maxRequestBody()),
            null);
  }

  public Reply refuse(Refusal refusal) {
    return rules.problems().refusal(policy, refusal);
  }

  public Reply problem(int status, ProblemType type, String detail) {
    return rules.problems().problem(policy, status, type, detail, null);
  }

  /**
   * The recorded answer, marked.
   *
   * @throws IllegalArgumentException if the record holds what no answer can have
   */
  public Reply replay(Answer answer) {
    boolean whole = answer.body() instanceof Body.Full;
    List<Header> headers = new ArrayList<>();
    for (Header header : whole ? answer.headers() : FieldRules.withoutBody(answer.headers())) {
      headers.add(FieldRules.checked(header));
    }
    headers.add(new Header(policy.marker(), "true"));
    if (answer.body() instanceof Body.Full full) {
      return new Reply(answer.code(), headers, full.bytes());
    }
    if (answer.code() == 204 || answer.code() == 304) {
      return new Reply(answer.code(), headers, Bytes.EMPTY);
    }
    headers.add(new Header("Content-Type", "application/json"));
    return new Reply(answer.code(), headers, notKept(answer));
  }

  /** Says that there was a body, and where its subject may be found. */
  private Bytes notKept(Answer answer) {
    String location =
        answer.headers().stream()
            .filter(
                header ->
                    header.name().equalsIgnoreCase("location")
                        || header.name().equalsIgnoreCase("content-location"))
            .map(Header::value)
            .findFirst()
            .orElse(head.path());
    String original =
        answer.body() instanceof Body.Digest digest
            ? "\"bytes\":%d,\"sha256\":\"%s\",".formatted(digest.size(), digest.sha256().toHex())
            : "";
    return Bytes.utf8(
        "{\"replayed\":true,\"status\":%d,%s\"detail\":\"%s\",\"get\":\"%s\"}"
            .formatted(
                answer.code(),
                original,
                "The request was done before. Its answer was not kept; GET what it made.",
                new String(JsonStringEncoder.getInstance().quoteAsString(location))));
  }

  // After it ran.

  /** Whether an answer with this status is the operation's, and may be recorded. */
  public boolean isFinal(int status) {
    return !NEVER_RECORDED.contains(status);
  }

  /**
   * What is recorded of the handler's answer.
   *
   * @throws IllegalArgumentException if a header has a CR, LF or NUL
   */
  public Answer answer(int status, List<Header> headers, Body body) {
    Outcome outcome =
        status < 400 ? Outcome.SUCCESS : status < 500 ? Outcome.REJECTION : Outcome.FAILURE;
    return new Answer(outcome, status, FieldRules.recordable(headers, policy.marker()), body);
  }
}
