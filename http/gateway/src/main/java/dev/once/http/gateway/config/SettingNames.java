package dev.once.http.gateway.config;

import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.PolicyValue.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The names of all settings. */
final class SettingNames {

  /** The other name of {@code retention}. */
  static final String TTL = "ttl";

  static final List<String> POLICY =
      Stream.concat(Arrays.stream(PolicyValue.values()).map(PolicyValue::label), Stream.of(TTL))
          .toList();

  static final List<String> ALL =
      Stream.concat(Arrays.stream(GatewayValue.values()).map(GatewayValue::label), POLICY.stream())
          .toList();

  private SettingNames() {}

  /** Whether several may be given, as a list of YAML or with commas. */
  static boolean isList(String label) {
    return label.equals(GatewayValue.CORS_ORIGINS.label())
        || PolicyValue.labelled(label).filter(value -> value.kind() == Kind.LIST).isPresent();
  }

  /** What may stand there, for people. */
  static String expected(String label) {
    return PolicyValue.labelled(label)
        .map(PolicyValue::expected)
        .or(() -> GatewayValue.labelled(label).map(GatewayValue::expected))
        .orElseThrow();
  }
}
