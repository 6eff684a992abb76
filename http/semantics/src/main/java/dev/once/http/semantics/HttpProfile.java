package dev.once.http.semantics;

import dev.once.core.Profile;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A named {@link HttpPolicy}: what the engine decides by, and how HTTP speaks of it. */
public record HttpProfile(String name, HttpPolicy policy) {

  private static final Set<String> ALL_MUTATIONS = Set.of("POST", "PUT", "PATCH", "DELETE");

  /** What the IETF draft asks for, and the default. */
  public static final HttpProfile IETF = of(Profile.IETF, p -> p);

  public static final HttpProfile STRIPE =
      of(
          Profile.STRIPE,
          p -> p.methods(Set.of("POST")).mismatchStatus(400).refusalFormat(StandardFormat.STRIPE));

  public static final HttpProfile STRICT =
      of(
          Profile.STRICT,
          p ->
              p.required(true)
                  .methods(ALL_MUTATIONS)
                  .keyRule(new KeyRule(KeyForm.VISIBLE_ASCII, 1, 255)));

  public static final HttpProfile PORTAL =
      of(
          Profile.PORTAL,
          p ->
              p.keyHeader("X-Idempotency-Key")
                  .methods(Set.of("POST", "PUT", "PATCH"))
                  .keyRule(new KeyRule(KeyForm.VISIBLE_ASCII, 1, 128))
                  .marker("X-Idempotency-Replay"));

  public static final HttpProfile BOOKING =
      of(
          Profile.BOOKING,
          p ->
              p.required(true)
                  .methods(ALL_MUTATIONS)
                  .keyRule(new KeyRule(KeyForm.COMPOSITE, 7, 255)));

  public static final HttpProfile LEADS =
      of(
          Profile.LEADS,
          p ->
              p.keyHeader("X-Idempotency-Key")
                  .required(true)
                  .methods(Set.of("POST"))
                  .keyRule(new KeyRule(KeyForm.UUID_V4, 36, 36))
                  .identity(Identity.KEY_AND_REQUEST)
                  .marker("X-Idempotency-Replay"));

  public static final HttpProfile SRS016 =
      of(Profile.SRS016, p -> p.bodiless(false).keyRule(new KeyRule(KeyForm.ALPHANUMERIC, 8, 255)));

  public static final List<HttpProfile> ALL =
      List.of(IETF, STRIPE, STRICT, PORTAL, BOOKING, LEADS, SRS016);

  private static HttpProfile of(Profile profile, UnaryOperator<HttpPolicy.Builder> changes) {
    return new HttpProfile(
        profile.name(), HttpPolicy.DEFAULT.with(p -> changes.apply(p.policy(profile.policy()))));
  }

  public static HttpProfile named(String name) {
    for (HttpProfile profile : ALL) {
      if (profile.name.equals(name)) {
        return profile;
      }
    }
    String known = ALL.stream().map(HttpProfile::name).collect(Collectors.joining(", "));
    throw new IllegalArgumentException("profile: " + name + " (expected: one of " + known + ")");
  }
}
