package dev.once.http.gateway.config;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.KeyForm;
import dev.once.http.semantics.KeyRule;
import dev.once.http.semantics.PolicyValue;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of a policy that one layer gives. Those that are wrong are reported as an error. */
final class PolicyChanges {

  /** Any length that there can be: a value taken alone is judged by itself. */
  private static final HttpPolicy WIDE =
      HttpPolicy.DEFAULT.with(
          b -> b.keyRule(new KeyRule(KeyForm.VISIBLE_ASCII, 1, dev.once.core.Key.MAX_BYTES)));

  private final Map<PolicyValue, GivenValue> given = new EnumMap<>(PolicyValue.class);
  private final ConfigurationErrors errors;

  PolicyChanges(Layer layer, ConfigurationErrors errors) {
    this.errors = errors;
    for (PolicyValue value : PolicyValue.values()) {
      GivenValue text = layer.get(value);
      if (text != null && findError(value, text) == null) {
        given.put(value, text);
      }
    }
  }

  /** What is wrong with this text, taken alone; null if nothing is. */
  static @Nullable String findError(PolicyValue value, GivenValue text) {
    try {
      boolean nothing = value.set(WIDE, text.text()).methods().isEmpty();
      return nothing ? text.unexpected(value.expected()) : null;
    } catch (IllegalArgumentException e) {
      return text.unexpected(value.expected());
    }
  }

  Map<PolicyValue, Origin> origins() {
    Map<PolicyValue, Origin> origins = new EnumMap<>(PolicyValue.class);
    given.forEach((value, text) -> origins.put(value, text.origin()));
    return origins;
  }

  /** The policy with these values. */
  HttpPolicy over(HttpPolicy start) {
    Map<PolicyValue, String> texts = new EnumMap<>(PolicyValue.class);
    given.forEach((value, text) -> texts.put(value, text.text()));
    List<PolicyValue> unfit = new ArrayList<>();
    HttpPolicy policy = PolicyValue.setAll(start, texts, (value, why) -> unfit.add(value));
    for (PolicyValue value : unfit) {
      addError(value, value.expected() + boundIn(policy, value));
    }
    checkLease(policy);
    checkKeyForm(policy);
    return policy;
  }

  private static String boundIn(HttpPolicy policy, PolicyValue value) {
    PolicyValue bound =
        value == PolicyValue.KEY_MIN_LENGTH
            ? PolicyValue.KEY_MAX_LENGTH
            : PolicyValue.KEY_MIN_LENGTH;
    return "; " + bound.label() + " is " + bound.show(policy);
  }

  private void checkLease(HttpPolicy policy) {
    if (policy.policy().lease().compareTo(policy.policy().longestRun()) > 0) {
      String lease = PolicyValue.LEASE.show(policy);
      String longest = PolicyValue.LONGEST_RUN.show(policy);
      if (given.containsKey(PolicyValue.LEASE)) {
        addError(PolicyValue.LEASE, "at most longest-run, which is " + longest);
      } else if (given.containsKey(PolicyValue.LONGEST_RUN)) {
        addError(PolicyValue.LONGEST_RUN, "at least lease, which is " + lease);
      }
    }
  }

  /** A rule that no key can follow is a mistake. */
  private void checkKeyForm(HttpPolicy policy) {
    KeyRule rule = policy.keyRule();
    int shortest = rule.form() == KeyForm.UUID_V4 ? 36 : rule.form() == KeyForm.COMPOSITE ? 7 : 1;
    boolean tooLong = rule.form() == KeyForm.UUID_V4 && rule.minLength() > shortest;
    if (rule.maxLength() < shortest || tooLong) {
      PolicyValue length = tooLong ? PolicyValue.KEY_MIN_LENGTH : PolicyValue.KEY_MAX_LENGTH;
      PolicyValue blamed = given.containsKey(length) ? length : PolicyValue.KEY_FORM;
      if (given.containsKey(blamed)) {
        addError(
            blamed,
            "a length that %s has, %s%d; key-min-length is %d, key-max-length is %d"
                .formatted(
                    PolicyValue.KEY_FORM.show(policy),
                    rule.form() == KeyForm.UUID_V4 ? "" : "at least ",
                    shortest,
                    rule.minLength(),
                    rule.maxLength()));
      }
    }
  }

  private void addError(PolicyValue value, String expected) {
    errors.add(text(value), text(value).unexpected(expected));
  }

  private GivenValue text(PolicyValue value) {
    GivenValue text = given.get(value);
    if (text == null) {
      throw new IllegalStateException(value + ": not given");
    }
    return text;
  }
}
