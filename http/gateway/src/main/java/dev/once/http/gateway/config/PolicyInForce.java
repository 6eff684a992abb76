package dev.once.http.gateway.config;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.RoutePattern;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A policy, and where each of its values comes from.
 *
 * @param pattern which requests it is for; null for those that no route names
 * @param place where the route is written
 * @param profile what it started from
 * @param given where the values were given that do not come from the profile
 */
public record PolicyInForce(
    @Nullable RoutePattern pattern,
    Origin place,
    HttpProfile profile,
    HttpPolicy policy,
    Map<PolicyValue, Origin> given) {

  public PolicyInForce {
    given = Map.copyOf(given);
  }

  /** Which requests it is for, in words. */
  public String title() {
    return pattern == null ? "everything else" : pattern.toString();
  }

  public String show(PolicyValue value) {
    return value.show(policy);
  }

  /** Who decided a value. */
  public Origin origin(PolicyValue value) {
    return given.getOrDefault(value, Origin.profile(profile.name()));
  }

  /** Whether it is not what the profile says. */
  public boolean differs(PolicyValue value) {
    return !value.show(policy).equals(value.show(profile.policy()));
  }
}
