package dev.once.cli;

import dev.once.http.gateway.config.PolicyInForce;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Identity;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.ProblemType;
import java.util.ArrayList;
import java.util.List;

/** Which values of a policy decided a verdict. */
final class DecidingValues {

  private final HttpPolicy policy;
  private final RawRequest request;

  DecidingValues(PolicyInForce inForce, RawRequest request) {
    this.policy = inForce.policy();
    this.request = request;
  }

  /** In the order in which the rules look. */
  List<PolicyValue> ofPassing() {
    if (!policy.enabled()) {
      return List.of(PolicyValue.ENABLED);
    }
    if (!policy.methods().contains(request.method())) {
      return List.of(PolicyValue.METHODS);
    }
    if (!policy.bodiless() && !request.hasBody()) {
      return List.of(PolicyValue.BODILESS);
    }
    return List.of(PolicyValue.HEADER, PolicyValue.REQUIRED);
  }

  String whyItPasses() {
    return switch (ofPassing().get(0)) {
      case ENABLED -> "Once is switched off here";
      case METHODS -> request.method() + " is not in scope";
      case BODILESS -> "it has no body";
      default -> "it has no key, and needs none";
    };
  }

  List<PolicyValue> ofRefusal(ProblemType type) {
    return type == ProblemType.KEY_MALFORMED
        ? List.of(
            PolicyValue.HEADER,
            PolicyValue.KEY_FORM,
            PolicyValue.KEY_MIN_LENGTH,
            PolicyValue.KEY_MAX_LENGTH)
        : List.of(PolicyValue.METHODS, PolicyValue.HEADER, PolicyValue.REQUIRED);
  }

  /** And what becomes of it, in the order in which a client would meet it. */
  List<PolicyValue> ofProtection() {
    List<PolicyValue> values = new ArrayList<>();
    if (request.body().size() > policy.maxRequestBody()) {
      return List.of(PolicyValue.MAX_REQUEST_BODY);
    }
    values.add(PolicyValue.METHODS);
    values.add(PolicyValue.HEADER);
    values.add(PolicyValue.KEY_FORM);
    values.add(PolicyValue.IDENTITY);
    if (!policy.criticalHeaders().isEmpty()) {
      values.add(PolicyValue.CRITICAL_HEADERS);
    }
    if (policy.identity() == Identity.KEY) {
      values.add(PolicyValue.MISMATCH_STATUS);
    }
    values.add(PolicyValue.ON_BUSY);
    values.add(PolicyValue.BUSY_STATUS);
    values.add(PolicyValue.ON_REJECTION);
    values.add(PolicyValue.ON_FAILURE);
    values.add(PolicyValue.ON_CRASH);
    values.add(PolicyValue.ON_STORE_DOWN);
    values.add(PolicyValue.RETENTION);
    values.add(PolicyValue.REPLAY_MARKER);
    return values;
  }
}
