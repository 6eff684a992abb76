package dev.once.cli;

import dev.once.core.Bytes;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.http.gateway.GatewaySettings;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.gateway.config.PolicyInForce;
import dev.once.http.gateway.config.PolicyTable;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.Verdict;
import dev.once.http.semantics.canonical.CanonicalBody;
import java.net.URI;
import java.util.List;

/** What the rules make of a request, in words. The rules themselves are asked. */
final class Explanation {

  private static final int LABEL = 13;
  private static final int LONGEST_SHOWN = 4_000;

  private final Configuration configuration;
  private final RawRequest request;
  private final PolicyInForce policy;
  private final StringBuilder text = new StringBuilder();

  Explanation(Configuration configuration, RawRequest request) {
    this.configuration = configuration;
    this.request = request;
    this.policy = configuration.policyFor(request.method(), request.path());
  }

  /**
   * The whole of it.
   *
   * @param all whether every value of the policy is told
   */
  String text(boolean all) {
    GatewaySettings settings = configuration.settings();
    Rules rules = new Rules("gateway", new Problems(docs(settings)));
    Verdict verdict =
        rules.evaluate(
            request,
            settings.routes().strict().match(request),
            () -> settings.scopes().caller(request));
    line("request", request.method() + " " + request.target());
    line(
        "route",
        policy.pattern() == null ? policy.title() : policy.title() + "   " + policy.place());
    line("profile", policy.profile().name());
    DecidingValues reasons = new DecidingValues(policy, request);
    if (verdict instanceof Verdict.Protect protect) {
      protect(protect.request(), rules.problems());
      decided(reasons.ofProtection(), all);
    } else if (verdict instanceof Verdict.Refuse refuse) {
      line("verdict", "refused");
      refusal(refuse.reply());
      refused(refuse.problem().type(), reasons, all);
    } else {
      line("verdict", "passes as it is: " + reasons.whyItPasses());
      decided(reasons.ofPassing(), all);
    }
    return text.toString();
  }

  private void refused(ProblemType type, DecidingValues reasons, boolean all) {
    switch (type) {
      case TENANT_MISSING -> decidedBy(List.of(GatewayValue.TENANT_HEADER), all);
      case CALLER_UNKNOWN ->
          decidedBy(
              List.of(GatewayValue.USER_HEADER, GatewayValue.USER_COOKIE, GatewayValue.ANONYMOUS),
              all);
      case AMBIGUOUS -> decided(List.of(PolicyValue.METHODS, PolicyValue.REQUIRED), all);
      default -> decided(reasons.ofRefusal(type), all);
    }
  }

  /** The page that refusals would link to. */
  private static URI docs(GatewaySettings settings) {
    return settings.docs() != null ? settings.docs() : Problems.NO_PAGE;
  }

  private void protect(ProtectedRequest protectedRequest, Problems problems) {
    Bytes body = request.body();
    boolean tooLarge = body.size() > policy.policy().maxRequestBody();
    line("verdict", tooLarge ? "refused" : "protected: it runs once, and a retry gets its answer");
    if (tooLarge) {
      refusal(problems.reply(protectedRequest.bodyTooLarge()));
    }
    line("key", protectedRequest.key().bytes().toUtf8());
    scope(protectedRequest.scope());
    CanonicalBody canonical = protectedRequest.canonical(body);
    Operation operation = protectedRequest.operation(body);
    String identity = operation.id().scope().route();
    if (!identity.isEmpty()) {
      line("identity", "the key and the " + identity);
    }
    line("in logs", operation.id().masked());
    line("body", body.size() + " bytes, taken as " + canonical.kind());
    line("canonical", printable(canonical.bytes()));
    line(
        "fingerprint",
        "%s (version %d)"
            .formatted(operation.fingerprint().hash().toHex(), operation.fingerprint().version()));
    line("", "over method, host, path, query, type and canonical body" + criticalHeaders());
  }

  /** What a terminal should be given; the option prints all as it is. */
  private static String printable(Bytes bytes) {
    String shown = bytes.toUtf8();
    boolean plain =
        shown.chars().noneMatch(c -> c == 0xFFFD || (c < ' ' && c != '\n' && c != '\t'));
    return plain && bytes.size() <= LONGEST_SHOWN ? shown : "not shown here; see --canonical";
  }

  private String criticalHeaders() {
    List<String> names = policy.policy().criticalHeaders();
    return names.isEmpty() ? "" : " and " + String.join(", ", names);
  }

  private void scope(Scope scope) {
    String tenant = scope.tenant().isEmpty() ? "none" : scope.tenant();
    line("tenant", tenant + "   by tenant-header " + by(GatewayValue.TENANT_HEADER));
    String from =
        switch (configuration.settings().scopes().user()) {
          case AUTHORIZATION -> "Authorization, hashed";
          case HEADER -> "user-header " + by(GatewayValue.USER_HEADER) + ", hashed";
          case COOKIE -> "user-cookie " + by(GatewayValue.USER_COOKIE) + ", hashed";
        };
    line(
        "user",
        scope.user().isEmpty()
            ? "none   by anonymous " + by(GatewayValue.ANONYMOUS)
            : scope.user() + "   by " + from);
  }

  private String by(GatewayValue value) {
    return configuration.show(value) + " (" + configuration.origin(value) + ")";
  }

  private void refusal(Reply reply) {
    line("answer", reply.status() + " " + reply.body().toUtf8());
  }

  private void decidedBy(List<GatewayValue> values, boolean all) {
    text.append("\ndecided by\n");
    values.forEach(value -> text.append("  " + value.label() + "  " + by(value) + "\n"));
    wholePolicy(all);
  }

  private void decided(List<PolicyValue> values, boolean all) {
    text.append("\ndecided by\n").append(PolicyTable.of(policy, values));
    wholePolicy(all);
  }

  private void wholePolicy(boolean all) {
    if (all) {
      text.append("\nthe whole policy\n");
      text.append(PolicyTable.of(policy, List.of(PolicyValue.values())));
    }
  }

  private void line(String label, String value) {
    text.append(("%-" + LABEL + "s%s%n").formatted(label, value));
  }
}
