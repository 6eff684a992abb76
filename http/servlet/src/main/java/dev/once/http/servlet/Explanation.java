package dev.once.http.servlet;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error in a few words, as a problem (RFC 9457) of no special type; in ASCII, whatever the
 * charset.
 */
final class Explanation {

  private static final List<Header> FIELDS =
      List.of(new Header("Content-Type", "application/problem+json"));

  private Explanation() {}

  static Reply of(int status, @Nullable String message) {
    StringBuilder json = new StringBuilder("{\"status\":").append(status);
    if (message != null) {
      json.append(",\"detail\":\"");
      message.chars().forEach(c -> append(json, (char) c));
      json.append('"');
    }
    return new Reply(status, FIELDS, Bytes.utf8(json.append('}').toString()));
  }

  private static void append(StringBuilder json, char c) {
    if (c == '"' || c == '\\') {
      json.append('\\').append(c);
    } else if (c < ' ' || c > '~') {
      json.append("\\u%04x".formatted((int) c));
    } else {
      json.append(c);
    }
  }
}
