package dev.once.http.semantics;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of a key header. The IETF draft asks for an RFC 8941 String ({@code "abc"}); most
 * clients send the same text bare. Both name the same operation.
 *
 * @param text the key, without quotes and escapes; null if there is an error
 * @param quoted whether it came as a String
 * @param error what is wrong, without the key itself; null if nothing is
 */
record KeyField(@Nullable String text, boolean quoted, @Nullable String error) {

  static KeyField parse(List<String> lines) {
    if (lines.size() > 1) {
      return wrong("the header is there " + lines.size() + " times");
    }
    String value = lines.get(0).strip();
    if (value.isEmpty()) {
      return wrong("it is empty");
    }
    if (value.charAt(0) == '"') {
      return quoted(value);
    }
    return value.indexOf('"') >= 0
        ? wrong("it has a quote that does not enclose it")
        : new KeyField(value, false, null);
  }

  /** An RFC 8941 String, and parameters after it, which have no meaning here. */
  private static KeyField quoted(String value) {
    StringBuilder text = new StringBuilder(value.length());
    for (int i = 1; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"') {
        return end(text, value.substring(i + 1));
      }
      if (c == '\\') {
        i++;
        if (i == value.length() || (value.charAt(i) != '"' && value.charAt(i) != '\\')) {
          return wrong("it has a backslash that escapes nothing");
        }
      }
      text.append(value.charAt(i));
    }
    return wrong("its quotes are not balanced");
  }

  private static KeyField end(StringBuilder text, String rest) {
    if (!rest.isEmpty() && rest.charAt(0) != ';') {
      return wrong("it goes on after its closing quote");
    }
    return text.isEmpty() ? wrong("it is empty") : new KeyField(text.toString(), true, null);
  }

  private static KeyField wrong(String error) {
    return new KeyField(null, false, error);
  }
}
