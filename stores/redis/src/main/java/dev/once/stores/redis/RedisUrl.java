package dev.once.stores.redis;

import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.stores.redis.RedisSettings.Node;
import dev.once.stores.redis.RedisSettings.Topology;
import dev.once.stores.redis.RedisSettings.Verify;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads settings from a URL. No message has the password in it. */
final class RedisUrl {

  static final Map<String, Topology> SCHEMES =
      Map.of(
          "redis", Topology.STANDALONE,
          "rediss", Topology.STANDALONE,
          "redis-sentinel", Topology.SENTINEL,
          "rediss-sentinel", Topology.SENTINEL,
          "redis-cluster", Topology.CLUSTER,
          "rediss-cluster", Topology.CLUSTER);

  private static final String EXPECTED =
      "redis://, rediss://, redis-sentinel://, rediss-sentinel://, redis-cluster:// or"
          + " rediss-cluster://, and HOST:PORT";

  private static final String OPTIONS =
      "timeout, connect-timeout, prefix, replicas, replicas-timeout, allow-eviction, compress-from, ca,"
          + " verify, sentinel-user, sentinel-password or max-queued";

  private static final Pattern SHAPE =
      Pattern.compile(
          "(?<scheme>[a-z-]+)://((?<user>[^@/?#]*)@)?(?<hosts>[^@/?#]+)"
              + "(/(?<path>[^?#]*))?(\\?(?<query>[^#]*))?(#(?<master>[^?]*))?(\\?(?<late>.*))?");

  private static final Pattern LATE_AT = Pattern.compile("://[^@]*[/?#].*@");
  private static final Pattern LENGTH = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final int DEFAULT_PORT = 6379;
  private static final int DEFAULT_SENTINEL_PORT = 26379;

  private RedisUrl() {}

  /**
   * Reads it.
   *
   * @throws StoreUrlException if it is not the URL of a Redis
   */
  static RedisSettings parse(String url) {
    try {
      return read(url);
    } catch (IllegalArgumentException e) {
      // What was taken for a host, or an option, may be half of a password.
      throw LATE_AT.matcher(url).find()
          ? bad(url, "%2F, %3F and %23 for / ? and # in a password")
          : new StoreUrlException(String.valueOf(e.getMessage()));
    }
  }

  private static RedisSettings read(String url) {
    Matcher parts = SHAPE.matcher(url);
    Topology topology = parts.matches() ? SCHEMES.get(parts.group("scheme")) : null;
    if (topology == null) {
      throw bad(url, EXPECTED);
    }
    if (group(parts, "path").contains("@")) {
      throw new IllegalArgumentException("@ in the path");
    }
    String scheme = parts.group("scheme");
    RedisSettings plain =
        RedisSettings.of(
            topology, nodes(parts.group("hosts"), topology), decoded(group(parts, "master")));
    return plain.with(
        settings -> {
          settings.tls(scheme.startsWith("rediss"));
          settings.database(database(group(parts, "path")));
          user(settings, group(parts, "user"));
          options(settings, group(parts, "query"));
          return options(settings, group(parts, "late"));
        });
  }

  private static void user(RedisSettingsBuilder settings, String userInfo) {
    if (!userInfo.isEmpty()) {
      int colon = userInfo.indexOf(':');
      String name = colon < 0 ? "" : userInfo.substring(0, colon);
      settings.user(decoded(name), decoded(userInfo.substring(colon + 1)));
    }
  }

  private static List<Node> nodes(String hosts, Topology topology) {
    List<Node> nodes = new ArrayList<>();
    for (String host : hosts.split(",", -1)) {
      int colon = host.lastIndexOf(':');
      boolean hasPort = colon > host.lastIndexOf(']');
      String name = hasPort ? host.substring(0, colon) : host;
      if (name.isEmpty() || (name.contains(":") && !name.startsWith("["))) {
        throw bad("host", host, "HOST, HOST:PORT or [IPV6]:PORT");
      }
      int standard = topology == Topology.SENTINEL ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
      int port = hasPort ? number("port", host.substring(colon + 1), 1, 65_535) : standard;
      nodes.add(new Node(name.replaceAll("[\\[\\]]", ""), port));
    }
    return nodes;
  }

  private static int database(String path) {
    return path.isEmpty() ? 0 : number("database", path, 0, Integer.MAX_VALUE);
  }

  private static RedisSettingsBuilder options(RedisSettingsBuilder settings, String query) {
    RedisSettingsBuilder changed = settings;
    for (String option : query.split("&", -1)) {
      int equals = option.indexOf('=');
      String name = equals < 0 ? option : option.substring(0, equals);
      String value = equals < 0 ? "" : decoded(option.substring(equals + 1));
      changed = option.isEmpty() ? changed : option(changed, query, name, value);
    }
    return changed;
  }

  private static RedisSettingsBuilder option(
      RedisSettingsBuilder settings, String query, String name, String value) {
    return switch (name) {
      case "timeout" -> settings.timeout(length(name, value));
      case "connect-timeout" -> settings.connectTimeout(length(name, value));
      case "prefix" -> settings.prefix(value);
      case "replicas" -> settings.replicas(number(name, value, 0, 1_000));
      case "replicas-timeout" -> settings.replicasTimeout(length(name, value));
      case "allow-eviction" -> settings.allowEviction(value);
      case "compress-from" -> settings.compressFrom(number(name, value, 0, Integer.MAX_VALUE));
      case "ca" -> settings.caFile(file(name, value));
      case "verify" -> settings.verify(verify(value));
      case "max-queued" -> settings.maxQueued(number(name, value, 1, Integer.MAX_VALUE));
      case "sentinel-user", "sentinel-password" ->
          settings.sentinelUser(sought(query, "sentinel-user"), sought(query, "sentinel-password"));
      default -> throw bad("option", name, OPTIONS);
    };
  }

  /** The two options about one user come in any order. */
  private static String sought(String query, String name) {
    for (String option : query.split("&", -1)) {
      if (option.startsWith(name + "=")) {
        return decoded(option.substring(name.length() + 1));
      }
    }
    return "";
  }

  private static Path file(String name, String value) {
    Path file = Path.of(value);
    if (!Files.isReadable(file)) {
      throw bad(name, value, "a PEM file that can be read");
    }
    return file;
  }

  private static Verify verify(String value) {
    for (Verify verify : Verify.values()) {
      if (verify.toString().equals(value)) {
        return verify;
      }
    }
    throw bad("verify", value, "full, ca or none");
  }

  private static Duration length(String name, String value) {
    Matcher matcher = LENGTH.matcher(value);
    if (matcher.matches()) {
      long amount = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        default -> Duration.ofMinutes(amount);
      };
    }
    try {
      return Duration.parse(value.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      throw bad(name, value, "a length of time such as 500ms, 2s or 1m");
    }
  }

  private static int number(String name, String value, int least, int most) {
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw bad(name, value, least + " to " + most);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "redis: URL: a % that is not followed by two hex digits (expected: %25 for a %)");
    }
  }

  private static String group(Matcher parts, String name) {
    String group = parts.group(name);
    return group == null ? "" : group;
  }

  private static StoreUrlException bad(String url, String expected) {
    return new StoreUrlException(
        "redis: URL: '" + Stores.masked(url) + "' (expected: " + expected + ")");
  }

  private static IllegalArgumentException bad(String name, String value, String expected) {
    return new IllegalArgumentException(
        "redis: " + name + ": '" + value + "' (expected: " + expected + ")");
  }
}
