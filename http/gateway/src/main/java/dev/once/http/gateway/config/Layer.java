package dev.once.http.gateway.config;

import dev.once.http.semantics.PolicyValue;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one place gives, or all places together: at most one text for each setting. */
final class Layer {

  private final Map<String, GivenValue> byName = new LinkedHashMap<>();

  /** Adds it; or returns what was given for the same setting before. */
  @Nullable GivenValue add(GivenValue given) {
    return byName.putIfAbsent(nameOf(given.label()), given);
  }

  /** Adds what a weaker place gives and this one does not. */
  Layer withFallback(Layer weaker) {
    weaker.byName.forEach(byName::putIfAbsent);
    return this;
  }

  @Nullable GivenValue get(PolicyValue value) {
    return byName.get(value.label());
  }

  @Nullable GivenValue get(GatewayValue value) {
    return byName.get(value.label());
  }

  @Nullable GivenValue get(String name) {
    return byName.get(name);
  }

  Collection<GivenValue> all() {
    return byName.values();
  }

  /** The first of a setting's names. */
  private static String nameOf(String label) {
    return PolicyValue.labelled(label).map(PolicyValue::label).orElse(label);
  }
}
