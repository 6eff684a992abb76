package dev.once.http.semantics;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a log says of a request; it outlives the request. */
public record RequestLine(
    String method, String path, @Nullable String client, @Nullable String userAgent) {

  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");
  private static final int LONGEST = 200;

  static RequestLine of(RequestHead head) {
    return new RequestLine(head.method(), head.path(), head.client(), head.header("User-Agent"));
  }

  @Override
  public String toString() {
    return "%s %s from %s (%s)"
        .formatted(method, printable(path), client, printable(String.valueOf(userAgent)));
  }

  /** Nothing that a client sends may forge a line. */
  private static String printable(String text) {
    String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    return UNPRINTABLE.matcher(shown).replaceAll("?");
  }
}
