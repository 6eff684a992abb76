package dev.once.core;

import java.util.Objects;

/**
 * Whose key it is: a tenant, a user of it and, where a profile says so, a route.
 *
 * <p>If there is no tenant or no user, pass the empty string; there is no method that leaves one
 * out. Two tenants without a name would share their keys, and one would get the answer of the
 * other.
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
