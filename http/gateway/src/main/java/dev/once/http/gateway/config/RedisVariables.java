package dev.once.http.gateway.config;

import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * {@code REDIS_HOST} and its kin, as services have them that keep their keys in a Redis. They count
 * only where the storage is said to be {@code redis}: others may have them for other things.
 */
final class RedisVariables {

  private static final String HOST = "REDIS_HOST";
  private static final String PORT = "REDIS_PORT";
  private static final String PASSWORD = "REDIS_PASSWORD";
  private static final String DATABASE = "REDIS_DATABASE";
  private static final String TIMEOUT = "REDIS_TIMEOUT";

  private static final Pattern A_HOST = Pattern.compile("[A-Za-z0-9_.-]+|[0-9A-Fa-f:.%]+");
  private static final Pattern SECONDS = Pattern.compile("\\d{1,7}(\\.\\d{1,9})?");
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  private final Map<String, String> environment;
  private final ConfigurationErrors errors;

  private RedisVariables(Map<String, String> environment, ConfigurationErrors errors) {
    this.environment = environment;
    this.errors = errors;
  }

  /** The URL of the Redis that they name. */
  static String url(Map<String, String> environment, ConfigurationErrors errors) {
    return new RedisVariables(environment, errors).url();
  }

  private String url() {
    StringBuilder url = new StringBuilder("redis://");
    String password = environment.getOrDefault(PASSWORD, "");
    if (!password.isEmpty()) {
      url.append(':').append(encoded(password)).append('@');
    }
    String host = host();
    url.append(host.contains(":") ? "[" + host + "]" : host);
    url.append(':').append(number(PORT, 6379, 1, 65_535));
    url.append('/').append(number(DATABASE, 0, 0, Integer.MAX_VALUE));
    Duration timeout = timeout();
    if (!timeout.isZero()) {
      url.append("?timeout=%1$dms&connect-timeout=%1$dms".formatted(timeout.toMillis()));
    }
    return url.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private String get(String name) {
    return environment.getOrDefault(name, "").strip();
  }

  private String host() {
    String host = get(HOST);
    if (host.isEmpty() || A_HOST.matcher(host).matches()) {
      return host.isEmpty() ? "localhost" : host;
    }
    addError(HOST, "the name or the address of a host, alone");
    return "localhost";
  }

  private int number(String name, int otherwise, int least, int most) {
    String text = get(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    addError(name, least + " to " + most);
    return otherwise;
  }

  /** Seconds, also with a fraction, or as durations are written elsewhere; zero for none. */
  private Duration timeout() {
    String text = get(TIMEOUT);
    if (text.isEmpty()) {
      return Duration.ZERO;
    }
    try {
      Duration timeout =
          SECONDS.matcher(text).matches()
              ? Duration.ofMillis(new BigDecimal(text).movePointRight(3).longValue())
              : SettingText.duration(text);
      if (timeout.compareTo(SHORTEST) >= 0 && timeout.compareTo(LONGEST) <= 0) {
        return timeout;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    addError(TIMEOUT, "seconds such as 5.0, 0.001 to 3600, or a duration such as 500ms");
    return Duration.ZERO;
  }

  private void addError(String name, String expected) {
    GivenValue given = new GivenValue(name, get(name), Origin.variable(name));
    errors.add(given, given.unexpected(expected));
  }
}
