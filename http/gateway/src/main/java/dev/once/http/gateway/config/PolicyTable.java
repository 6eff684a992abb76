package dev.once.http.gateway.config;

import dev.once.http.semantics.PolicyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which settings and policies are in force, as text for a terminal. The policy of everything is
 * told whole; a route's where it differs from that or from its profile, unless all is asked for.
 */
public final class PolicyTable {

  private static final String MARK = "*";

  private final Configuration configuration;
  private final boolean all;
  private final StringBuilder text = new StringBuilder();

  private PolicyTable(Configuration configuration, boolean all) {
    this.configuration = configuration;
    this.all = all;
  }

  /**
   * The table.
   *
   * @param all whether every value of every route is told
   */
  public static String of(Configuration configuration, boolean all) {
    PolicyTable table = new PolicyTable(configuration, all);
    table.settings();
    List<PolicyInForce> policies = configuration.policies();
    PolicyInForce base = policies.get(policies.size() - 1);
    policies.forEach(policy -> table.policy(policy, base));
    table.text.append("\n").append(MARK).append(" is not what the profile says.\n");
    return table.text.toString();
  }

  /** Some values of one policy. */
  public static String of(PolicyInForce policy, List<PolicyValue> values) {
    StringBuilder text = new StringBuilder();
    append(text, values.stream().map(value -> row(policy, value)).toList());
    return text.toString();
  }

  private void settings() {
    List<List<String>> rows = new ArrayList<>();
    for (GatewayValue value : GatewayValue.values()) {
      if (value != GatewayValue.PROFILE) {
        String shown = configuration.show(value);
        rows.add(List.of("", value.label(), orDash(shown), configuration.origin(value).toString()));
      }
    }
    text.append("gateway\n");
    append(text, rows);
  }

  private void policy(PolicyInForce policy, PolicyInForce base) {
    text.append('\n').append(policy.title()).append("   profile ").append(policy.profile().name());
    if (policy.pattern() != null) {
      text.append(", ").append(policy.place());
    }
    text.append('\n');
    List<PolicyValue> told =
        Arrays.stream(PolicyValue.values())
            .filter(
                value ->
                    all
                        || policy.pattern() == null
                        || policy.differs(value)
                        || !policy.show(value).equals(base.show(value)))
            .toList();
    append(text, told.stream().map(value -> row(policy, value)).toList());
    if (told.isEmpty()) {
      text.append("  as everything else\n");
    } else if (told.size() < PolicyValue.values().length) {
      text.append("  the rest as everything else\n");
    }
  }

  private static List<String> row(PolicyInForce policy, PolicyValue value) {
    return List.of(
        policy.differs(value) ? MARK : "",
        value.label(),
        orDash(policy.show(value)),
        policy.origin(value).toString());
  }

  private static String orDash(String shown) {
    return shown.isEmpty() ? "-" : shown;
  }

  private static void append(StringBuilder text, List<List<String>> rows) {
    int labels = width(rows, 1);
    int values = width(rows, 2);
    String format = "%-1s %-" + labels + "s  %-" + values + "s  %s%n";
    rows.forEach(row -> text.append(format.formatted(row.toArray())));
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
  }
}
