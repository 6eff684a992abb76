package dev.once.core;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A named policy. These are the parts of the seven profiles that the engine decides by; headers,
 * key rules and status codes belong to the protocol in front.
 */
public record Profile(String name, Policy policy) {

  /** What the IETF draft asks for, and the default. */
  public static final Profile IETF = new Profile("ietf", Policy.DEFAULT);

  public static final Profile STRIPE = new Profile("stripe", Policy.DEFAULT);

  public static final Profile STRICT = new Profile("strict", Policy.DEFAULT);

  /** A lock that times out after a crash, and then the retry runs. */
  public static final Profile PORTAL =
      new Profile("portal", Policy.DEFAULT.with(p -> p.onCrash(OnCrash.RUN_AGAIN)));

  /** Nothing but success is kept. */
  public static final Profile BOOKING =
      new Profile(
          "booking",
          Policy.DEFAULT.with(
              p ->
                  p.onCrash(OnCrash.RUN_AGAIN)
                      .onRejection(OnEnd.RELEASE)
                      .onFailure(OnEnd.RELEASE)
                      .onStoreDown(OnStoreDown.GO_ON)));

  /** A short window against double submissions; a lead is worth more than the protection. */
  public static final Profile LEADS =
      new Profile(
          "leads",
          Policy.DEFAULT.with(
              p ->
                  p.retention(Duration.ofMinutes(5))
                      .onCrash(OnCrash.RUN_AGAIN)
                      .onFailure(OnEnd.RELEASE)
                      .onStoreDown(OnStoreDown.GO_ON)));

  public static final Profile SRS016 =
      new Profile(
          "srs016",
          Policy.DEFAULT.with(p -> p.onCrash(OnCrash.RUN_AGAIN).onFailure(OnEnd.RELEASE)));

  public static final List<Profile> ALL =
      List.of(IETF, STRIPE, STRICT, PORTAL, BOOKING, LEADS, SRS016);

  public static Profile named(String name) {
    for (Profile profile : ALL) {
      if (profile.name.equals(name)) {
        return profile;
      }
    }
    String known = ALL.stream().map(Profile::name).collect(Collectors.joining(", "));
    throw new IllegalArgumentException("profile: " + name + " (expected: one of " + known + ")");
  }
}
