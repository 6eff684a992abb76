package dev.once.http.gateway.config;

import dev.once.core.store.StoreUrl;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.http.gateway.GatewaySettings.Address;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.PolicyValue;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the settings of a gateway as people write them. Each throws IllegalArgumentException. */
final class SettingText {

  private static final Pattern ADDRESS =
      Pattern.compile("(?:(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]/\\s]*):)?(\\d{1,5})");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})\\s*([km]?)b?");
  private static final Pattern ZERO = Pattern.compile("0+\\s*(ms|s|m|h|d|)");
  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final List<String> LEVELS =
      List.of("trace", "debug", "info", "warn", "error", "off");

  private SettingText() {}

  /** As in a policy: one way to write durations everywhere. */
  static Duration duration(String text) {
    return PolicyValue.LONGEST_WAIT.set(HttpPolicy.DEFAULT, text).policy().longestWait();
  }

  static Duration durationOrZero(String text) {
    return ZERO.matcher(text).matches() ? Duration.ZERO : duration(text);
  }

  /** As in a policy. */
  static boolean bool(String text) {
    return PolicyValue.REQUIRED.set(HttpPolicy.DEFAULT, text).required();
  }

  static int positive(String text) {
    int number = Integer.parseInt(text);
    if (number < 1) {
      throw new IllegalArgumentException(text);
    }
    return number;
  }

  /** Bytes, or thousands of 1024 of them with {@code k} or {@code m}. */
  static long size(String text) {
    Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new IllegalArgumentException(text);
    }
    int shift =
        switch (size.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          default -> 0;
        };
    return positive(size.group(1)) * (1L << shift);
  }

  /** {@code HOST:PORT}, {@code :PORT} or {@code PORT}; an IPv6 host is in brackets. */
  static Address address(String text, String otherwiseHost) {
    Matcher address = ADDRESS.matcher(text);
    if (!address.matches() || Integer.parseInt(address.group(2)) > 65_535) {
      throw new IllegalArgumentException(text);
    }
    String host = address.group(1);
    if (host == null || host.isEmpty()) {
      host = otherwiseHost;
    } else if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    return new Address(host, Integer.parseInt(address.group(2)));
  }

  static URI upstream(String text) {
    URI url = webUrl(text);
    if (url.getRawQuery() != null || url.getRawFragment() != null) {
      throw new IllegalArgumentException(text);
    }
    String base = url.toString();
    return URI.create(base.endsWith("/") ? base.substring(0, base.length() - 1) : base);
  }

  static URI webUrl(String text) {
    URI url = URI.create(text);
    boolean web =
        "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
    if (!web || url.getHost() == null || url.getPort() > 65_535) {
      throw new IllegalArgumentException(text);
    }
    if (url.getRawUserInfo() != null) {
      throw new InvalidValueException("it has a user and password (expected: a URL without)");
    }
    return url;
  }

  /** Relative to where the gateway is started, wherever it was written. */
  static Path file(String text) {
    Path file = Path.of(text);
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      Path folder = file.toAbsolutePath().normalize().getParent();
      String found =
          Files.isDirectory(file)
              ? "it is a folder"
              : Files.exists(file) ? "its rights do not allow it" : "there is none in " + folder;
      throw new InvalidValueException(
          "'%s' (expected: a file that can be read; %s)".formatted(text, found));
    }
    return file;
  }

  static String header(String text) {
    if (!HEADER.matcher(text).matches()) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }

  /** The URL of what can be used as this. */
  static StoreUrl store(String text, StoreRole role) {
    try {
      return Stores.parse(text, role);
    } catch (StoreUrlException e) {
      throw new InvalidValueException(String.valueOf(e.getMessage()));
    }
  }

  static List<String> origins(String text) {
    List<String> origins =
        Stream.of(text.split(",", -1)).map(String::strip).filter(o -> !o.isEmpty()).toList();
    for (String origin : origins) {
      if (!origin.equals("*") && !isOrigin(origin)) {
        throw new IllegalArgumentException(text);
      }
    }
    return origins;
  }

  private static boolean isOrigin(String text) {
    URI url = URI.create(text);
    return url.getScheme() != null
        && url.getHost() != null
        && text.equals(url.getScheme() + "://" + url.getRawAuthority())
        && url.getRawUserInfo() == null;
  }

  static String level(String text) {
    String level = text.toLowerCase(Locale.ROOT);
    if (!LEVELS.contains(level)) {
      throw new IllegalArgumentException(text);
    }
    return level;
  }
}
