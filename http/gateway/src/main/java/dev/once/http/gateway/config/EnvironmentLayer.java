package dev.once.http.gateway.config;

import dev.once.http.semantics.NearestWord;
import dev.once.http.semantics.PolicyValue;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the environment gives: {@code ONCE_} and any label, and the names that services which look
 * after their keys themselves are known to use. An empty variable is as good as none.
 */
final class EnvironmentLayer {

  private static final String PREFIX = "ONCE_";
  private static final String STORAGE = "IDEMPOTENCY_STORAGE";

  /** Not settings: they are for the launcher. */
  private static final Set<String> NOT_OURS = Set.of("ONCE_JAVA_OPTS", Sources.FILE_VARIABLE);

  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "IDEMPOTENCY_ENABLED",
          PolicyValue.ENABLED.label(),
          "IDEMPOTENCY_KEY_TTL",
          PolicyValue.RETENTION.label(),
          "IDEMPOTENCY_KEY_MIN_LENGTH",
          PolicyValue.KEY_MIN_LENGTH.label(),
          STORAGE,
          GatewayValue.STORE.label());

  private EnvironmentLayer() {}

  static Layer read(Map<String, String> environment, ConfigurationErrors errors) {
    Layer layer = new Layer();
    new TreeMap<>(environment)
        .forEach(
            (name, text) -> {
              String label = labelOf(name);
              if (label.isEmpty() || text.isBlank()) {
                return;
              }
              GivenValue given = new GivenValue(label, text, Origin.variable(name));
              if (!SettingNames.ALL.contains(label)) {
                errors.add(given, unknown(name));
                return;
              }
              GivenValue meant = name.equals(STORAGE) ? storage(given, environment, errors) : given;
              GivenValue other = layer.add(meant);
              if (other != null) {
                errors.add(given, "is the same as " + other.origin() + " (expected: one of them)");
              }
            });
    return layer;
  }

  /** Empty for what is not about a gateway. */
  private static String labelOf(String name) {
    if (NOT_OURS.contains(name)) {
      return "";
    }
    return name.startsWith(PREFIX)
        ? name.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '-')
        : OTHER_NAMES.getOrDefault(name, "");
  }

  private static String unknown(String name) {
    return NearestWord.unknown(
        name,
        SettingNames.ALL.stream().map(EnvironmentLayer::variable).toList(),
        "a setting such as ONCE_UPSTREAM or ONCE_RETENTION");
  }

  private static String variable(String label) {
    return PREFIX + label.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** Kinds of stores, as such services name them, besides the URL of one. */
  private static GivenValue storage(
      GivenValue given, Map<String, String> environment, ConfigurationErrors errors) {
    String byDefault = String.valueOf(GatewayValue.STORE.byDefault());
    return switch (given.text().strip().toLowerCase(Locale.ROOT)) {
      case "memory" -> new GivenValue(given.label(), "memory:", given.origin());
      case "database", "sqlite" -> new GivenValue(given.label(), byDefault, given.origin());
      case "redis" ->
          new GivenValue(given.label(), RedisVariables.url(environment, errors), given.origin());
      default -> given;
    };
  }
}
