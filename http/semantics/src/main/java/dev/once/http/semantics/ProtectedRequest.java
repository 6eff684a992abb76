package dev.once.http.semantics;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Origin;
import dev.once.core.Outcome;
import dev.once.core.Refusal;
import dev.once.core.Scope;
import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.canonical.CanonicalBody;
import dev.once.http.semantics.canonical.MediaType;
import dev.once.http.semantics.text.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request that carries a good key, and the policy that it is under. */
public final class ProtectedRequest {

  /**
   * They say "not here" (307, 308, 421), "not you" (401, 407) or "not now" (425, 429), and nothing
   * about the operation: never recorded.
   */
  private static final Set<Integer> NEVER_RECORDED = Set.of(307, 308, 401, 407, 421, 425, 429);

  private static final Duration SOON = Duration.ofSeconds(2);

  private final Rules rules;
  private final HttpPolicy policy;
  private final RequestHead head;

  /** Read at once: a server may take its request back while the handler still runs. */
  private final Origin origin;

  private final Scope scope;
  private final Key key;

  /** What it is called in logs; more exact once it is known what is asked for. */
  private volatile OperationId id;

  private final @Nullable String encoding;
  private @Nullable MediaType type;

  ProtectedRequest(Rules rules, Match match, RequestHead head, Scope scope, Key key) {
    this.rules = rules;
    this.policy = match.policy();
    this.head = head;
    this.origin = rules.origin(head, match.route());
    this.scope = scope;
    this.key = key;
    this.id = new OperationId(scope, key);
    this.encoding = all(head, "Content-Encoding");
  }

  public HttpPolicy policy() {
    return policy;
  }

  /** How it came in. */
  public Origin origin() {
    return origin;
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

  /**
   * What a log calls it: its masked key, method and path, and who sent it. It can be asked at any
   * time, also when the server has taken its request back.
   */
  public String describe() {
    return id.masked() + " " + origin.source();
  }

  // Before it runs.

  /** The body as the fingerprint sees it. */
  public CanonicalBody canonical(Bytes body) {
    return CanonicalBody.ofType(type(), encoding, body);
  }

  private MediaType type() {
    if (type == null) {
      type = MediaType.of(all(head, "Content-Type"));
    }
    return type;
  }

  /** If there are two types, it is not known which one the service uses, so none is returned. */
  private static @Nullable String all(RequestHead head, String name) {
    List<String> lines = head.headers(name);
    return switch (lines.size()) {
      case 0 -> null;
      case 1 -> lines.get(0);
      default -> String.join(", ", lines);
    };
  }

  /** The operation that this request asks for. */
  public Operation operation(Bytes body) {
    return operation(canonical(body));
  }

  /** The operation that this request asks for, if its body is this one. */
  public Operation operation(CanonicalBody body) {
    Fingerprint fingerprint = fingerprint(body);
    Scope identity =
        switch (policy.identity()) {
          case KEY -> scope;
          case KEY_AND_REQUEST ->
              new Scope(scope.tenant(), scope.user(), "request:" + fingerprint.hash().toHex());
        };
    id = new OperationId(identity, key);
    return new Operation(id, fingerprint, policy.policy(), origin());
  }

  /** What was asked: method, host, path, query, type and canonical body, and critical headers. */
  private Fingerprint fingerprint(CanonicalBody body) {
    List<Bytes> parts = new ArrayList<>();
    String query = head.query();
    parts.add(Bytes.utf8(head.method()));
    parts.add(Bytes.utf8(host()));
    parts.add(Bytes.utf8(path()));
    parts.add(query == null ? Bytes.EMPTY : Bytes.utf8(query));
    parts.add(Bytes.utf8(body.kind().name()));
    parts.add(Bytes.utf8(typeOf(body)));
    parts.add(body.bytes());
    policy.criticalHeaders().forEach(name -> addLines(name, parts));
    for (String name : FieldRules.METHOD_FIELDS) {
      if (head.header(name) != null) {
        addLines(name, parts);
      }
    }
    return Fingerprint.of(parts.toArray(Bytes[]::new));
  }

  private void addLines(String name, List<Bytes> parts) {
    List<String> lines = head.headers(name);
    parts.add(Bytes.utf8(Tokens.lower(name)));
    parts.add(Bytes.utf8(String.valueOf(lines.size())));
    lines.forEach(line -> parts.add(Bytes.utf8(line)));
  }

  /**
   * One spelling for a host: in lower case, without the dot at its end, and without a port. Several
   * ports of one host are doors to one service, and a retry may come through another one.
   */
  private String host() {
    String host = head.host();
    if (host == null) {
      return "";
    }
    String name = Tokens.lower(host.strip());
    int colon = name.lastIndexOf(':');
    if (colon > name.lastIndexOf(']')) {
      name = name.substring(0, colon);
    }
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private String path() {
    String path = Escapes.normal(head.path());
    return policy.ignoreCase() ? path.toLowerCase(Locale.ROOT) : path;
  }

  /** The same bytes of another type, or compressed, ask for something else. */
  private String typeOf(CanonicalBody body) {
    if (body.kind() == CanonicalBody.Kind.EMPTY) {
      return "";
    }
    boolean apart = body.kind() == CanonicalBody.Kind.MULTIPART;
    String named = type().inFingerprint(apart);
    return encoding == null || CanonicalBody.isIdentity(encoding)
        ? named
        : named + "\n" + encoding.trim().toLowerCase(Locale.ROOT);
  }

  // Without running.

  /** What a request gets whose body is over the limit. */
  public Reply tooLarge() {
    return told(bodyTooLarge());
  }

  /** That the body is over the limit; not told to the log. */
  public Problem bodyTooLarge() {
    return rules
        .problems()
        .of(
            policy,
            413,
            ProblemType.BODY_TOO_LARGE,
            "With a key, a request may have a body of %d bytes.".formatted(policy.maxRequestBody()),
            null);
  }

  /** What a request gets for which there is no memory at the moment. */
  public Reply overloaded() {
    ProblemType type = ProblemType.OVERLOADED;
    return told(rules.problems().of(policy, 503, type, type.advice(), SOON));
  }

  /** What a request gets that the engine refused; whoever observes the engine logs it. */
  public Reply refuse(Refusal refusal) {
    return rules.problems().reply(rules.problems().of(policy, refusal));
  }

  /** Any other problem; it is logged. */
  public Reply problem(int status, ProblemType type, String detail) {
    return told(rules.problems().of(policy, status, type, detail, null));
  }

  private Reply told(Problem problem) {
    ProblemLog.tell(problem, describe());
    return rules.problems().reply(problem);
  }

  /** The recorded answer, marked; or a problem that says that the record cannot be replayed. */
  public Reply replay(Answer answer) {
    try {
      return new Replay(head, policy).of(answer);
    } catch (IllegalArgumentException e) {
      return notReplayable();
    }
  }

  /** What a retry gets whose record holds what no answer over HTTP can have. */
  public Reply notReplayable() {
    return problem(500, ProblemType.OUTCOME_UNKNOWN, "The record cannot be replayed.");
  }

  // After it ran.

  /**
   * What is to be recorded of the handler's answer; empty if it says nothing about the operation.
   *
   * @throws IllegalArgumentException if a header has a CR, LF or NUL
   */
  public Optional<Answer> answer(int status, List<Header> headers, Body body) {
    if (NEVER_RECORDED.contains(status)) {
      return Optional.empty();
    }
    if (status < 200 || status > 999) {
      throw new IllegalArgumentException("status: " + status + " (expected: 200 to 999)");
    }
    Outcome outcome =
        status < 400 ? Outcome.SUCCESS : status < 500 ? Outcome.REJECTION : Outcome.FAILURE;
    return Optional.of(
        new Answer(outcome, status, FieldRules.recordable(headers, policy.marker()), body));
  }
}
