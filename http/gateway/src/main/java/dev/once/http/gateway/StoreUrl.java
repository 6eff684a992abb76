package dev.once.http.gateway;

import dev.once.stores.redis.RedisSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where keys are kept, as people write it. As a text it has no password in it.
 *
 * @param text all of it, for whoever opens the store
 */
public record StoreUrl(Kind kind, String text) {

  /** What is there. */
  public enum Kind {
    MEMORY,
    SQLITE,
    /** PostgreSQL or MariaDB. */
    DATABASE,
    /** Redis or Valkey: one server, sentinels or a cluster. */
    REDIS
  }

  /** What may stand there, for people. */
  public static final String EXPECTED =
      "memory:, sqlite:FILE, postgresql://HOST/DATABASE, mariadb://HOST/DATABASE, redis://HOST,"
          + " rediss://HOST, redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS";

  private static final String A_DATABASE = "%s://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE";
  private static final String MEMORY = "memory:";
  private static final String SQLITE = "sqlite:";
  private static final String JDBC = "jdbc:";
  private static final Set<String> DATABASES = Set.of("postgresql", "postgres", "mariadb");
  private static final Set<String> REDISES =
      Set.of(
          "redis",
          "rediss",
          "redis-sentinel",
          "rediss-sentinel",
          "redis-cluster",
          "rediss-cluster");

  /** Up to the last @: a password may have any character that it should not have. */
  private static final Pattern USER =
      Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*:(?://)?).*@", Pattern.DOTALL);

  private static final Pattern SECRET =
      Pattern.compile("(?i)([?&;][^=&#]*(?:password|passwd|pwd|secret|token)[^=&#]*=)[^&]*");

  private static final Pattern LATE_AT = Pattern.compile("://[^@]*[/?#].*@");
  private static final Pattern USER_WITHIN = Pattern.compile("://\\S*@");
  private static final Pattern SECRET_WITHIN =
      Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)=)[^&\\s]*");

  /**
   * Reads it, and connects to nothing.
   *
   * @throws IllegalArgumentException if it is none; the message is one line for people, to follow a
   *     name, and without a password
   */
  public static StoreUrl parse(String text) {
    return parse(text, EXPECTED, Set.of(Kind.values()));
  }

  /**
   * {@link #parse(String)}, where only some kinds will do.
   *
   * @param expected these, for people
   */
  public static StoreUrl parse(String text, String expected, Set<Kind> kinds) {
    StoreUrl url = read(text, expected);
    if (!kinds.contains(url.kind)) {
      throw unlike(text, expected);
    }
    return url;
  }

  private static StoreUrl read(String text, String expected) {
    // Without its colon, memory needs no quotes in YAML.
    if (text.equals(MEMORY) || text.equals("memory")) {
      return new StoreUrl(Kind.MEMORY, MEMORY);
    }
    if (text.startsWith(SQLITE) && text.length() > SQLITE.length()) {
      return new StoreUrl(Kind.SQLITE, text);
    }
    int colon = text.indexOf(':');
    String scheme = colon < 0 ? "" : text.substring(0, colon);
    if (DATABASES.contains(scheme)) {
      requireDatabase(scheme, text);
      return new StoreUrl(Kind.DATABASE, text);
    }
    if (REDISES.contains(scheme)) {
      requireRedis(text);
      return new StoreUrl(Kind.REDIS, text);
    }
    throw unlike(text, text.startsWith(JDBC) ? A_DATABASE.formatted("postgresql") : expected);
  }

  private static IllegalArgumentException unlike(String text, String expected) {
    return new IllegalArgumentException("'" + masked(text) + "' (expected: " + expected + ")");
  }

  private static void requireDatabase(String scheme, String text) {
    try {
      URI url = new URI(text);
      if (url.getHost() != null && url.getPath() != null && url.getPath().length() > 1) {
        return;
      }
    } catch (URISyntaxException e) {
      // Said below, without its message: it repeats the URL.
    }
    throw unlike(
        text, A_DATABASE.formatted(scheme) + ", with %40 for an @ in a password, and so on");
  }

  private static void requireRedis(String text) {
    try {
      RedisSettings.parse(text);
    } catch (IllegalArgumentException e) {
      // What was taken for a host, or an option, may be half of a password.
      throw LATE_AT.matcher(text).find()
          ? unlike(text, "%2F, %3F and %23 for / ? and # in a password")
          : e;
    }
  }

  /** What may be a URL, without its user and passwords. */
  public static String masked(String text) {
    if (text.startsWith(SQLITE)) {
      return text;
    }
    String withoutUser = USER.matcher(text).replaceFirst("$1****@");
    return SECRET.matcher(withoutUser).replaceAll("$1****");
  }

  /** A sentence that may have URLs in it, without their users and passwords. */
  static String maskedWithin(String sentence) {
    String withoutUsers = USER_WITHIN.matcher(sentence).replaceAll("://****@");
    return SECRET_WITHIN.matcher(withoutUsers).replaceAll("$1****");
  }

  /** The file of a {@code sqlite:FILE}. */
  String file() {
    return text.substring(SQLITE.length());
  }

  /** For people, who should not see passwords. */
  @Override
  public String toString() {
    return masked(text);
  }
}
