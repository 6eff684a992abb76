package dev.once.core;

import java.util.Objects;

/**
 * Whose key it is: a tenant, a user of it and, where a profile says so, a route.
 *
 * <p>A tenant or a user that does not apply is the empty string, said on purpose: nothing here
 * leaves one out. Two tenants that forget theirs share their keys, and one is given the other's
 * answer.
 */
public record Scope(String tenant, String user, String route) {

  public static final int MAX_PART_LENGTH = 512;

  /** For systems with one tenant and no users: one namespace for all keys. */
  public static final Scope GLOBAL = new Scope("", "", "");

  /** A user of a tenant; what most programs need. */
  public static Scope of(String tenant, String user) {
    return new Scope(tenant, user, "");
  }

  public Scope {
    check("tenant", tenant);
    check("user", user);
    check("route", route);
  }

  private static void check(String name, String value) {
    Objects.requireNonNull(value, () -> name + ": null (expected: text, empty if it has none)");
    Checks.unicode(name, value);
    if (value.length() > MAX_PART_LENGTH) {
      throw new IllegalArgumentException(
          name + ": " + value.length() + " characters (expected: at most " + MAX_PART_LENGTH + ")");
    }
  }
}
