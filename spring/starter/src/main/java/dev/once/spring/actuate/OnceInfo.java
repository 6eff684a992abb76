package dev.once.spring.actuate;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.Routes.Route;
import dev.once.spring.OncePolicies;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Which store and which policies are in force. */
final class OnceInfo implements InfoContributor {

  private final StoreHealth store;
  private final OncePolicies policies;

  OnceInfo(StoreHealth store, OncePolicies policies) {
    this.store = store;
    this.policies = policies;
  }

  @Override
  public void contribute(Info.Builder builder) {
    Map<String, Object> shown = new LinkedHashMap<>(store.details());
    shown.put("policy", values(policies.routes().base()));
    Map<String, Object> routes = new LinkedHashMap<>();
    for (Route route : policies.routes().routes()) {
      routes.putIfAbsent(route.pattern().toString(), values(route.policy()));
    }
    shown.put("routes", routes);
    builder.withDetail("once", shown);
  }

  private static Map<String, Object> values(HttpPolicy policy) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (PolicyValue value : PolicyValue.values()) {
      values.put(value.label(), value.show(policy));
    }
    return values;
  }
}
