package dev.once.http.semantics;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How values are written by people: in flags, files, the environment and on the policy page. */
final class ValueText {

  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h|d|)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})\\s*(|b|k|kb|kib|m|mb|mib)");
  private static final List<String> UNITS = List.of("d", "h", "m", "s");
  private static final List<Long> UNIT_SECONDS = List.of(86_400L, 3_600L, 60L, 1L);

  private ValueText() {}

  static boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on" -> true;
      case "false", "no", "off" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /** A number is seconds, as in {@code IDEMPOTENCY_KEY_TTL}. */
  static Duration parseDuration(String text) {
    Matcher simple = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (!simple.matches()) {
      return parseIso(text);
    }
    long amount = Long.parseLong(simple.group(1));
    return switch (simple.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      case "d" -> Duration.ofDays(amount);
      default -> Duration.ofSeconds(amount);
    };
  }

  private static Duration parseIso(String text) {
    try {
      return Duration.parse(text);
    } catch (java.time.format.DateTimeParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  static String showDuration(Duration duration) {
    long seconds = duration.toSeconds();
    if (duration.toNanosPart() == 0) {
      for (int i = 0; i < UNITS.size(); i++) {
        long unit = UNIT_SECONDS.get(i);
        // 24h and 72h are what people say, not 1d and 3d; from a week on they say days.
        boolean usual = unit < 86_400 || seconds >= 7 * unit;
        if (usual && seconds >= unit && seconds % unit == 0) {
          return seconds / unit + UNITS.get(i);
        }
      }
    }
    return duration.toMillis() + "ms";
  }

  static int parseSize(String text) {
    Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new IllegalArgumentException(text);
    }
    long unit =
        switch (size.group(2)) {
          case "k", "kb", "kib" -> 1024;
          case "m", "mb", "mib" -> 1024 * 1024;
          default -> 1;
        };
    return Math.toIntExact(Math.multiplyExact(Long.parseLong(size.group(1)), unit));
  }

  static String showSize(int bytes) {
    if (bytes > 0 && bytes % (1024 * 1024) == 0) {
      return bytes / (1024 * 1024) + "m";
    }
    return bytes > 0 && bytes % 1024 == 0 ? bytes / 1024 + "k" : String.valueOf(bytes);
  }

  static List<String> parseList(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  static <E extends Enum<E>> E parseWord(Class<E> type, String text) {
    return Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  static String showWord(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Texts to choose from, for people. */
  static String choice(List<String> all) {
    return String.join(", ", all.subList(0, all.size() - 1)) + " or " + all.get(all.size() - 1);
  }
}
