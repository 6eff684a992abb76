package dev.once.http.semantics.canonical;

import dev.once.http.semantics.text.Tokens;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code Content-Type} says, read strictly. A value that is not a well-formed media type with
 * parameters is treated as an unknown type.
 */
public final class MediaType {

  /** A parameter: its name in lower case, its value without quotation marks. */
  private record Parameter(String name, String value) {}

  private static final MediaType NONE = new MediaType("", "", List.of());

  /** What most requests have, and need not be read each time. */
  private static final MediaType JSON =
      new MediaType("application/json", "application/json", List.of());

  /** As it came. */
  private final String text;

  /** In lower case; empty if the text is not well-formed. */
  private final String name;

  private final List<Parameter> parameters;

  private MediaType(String text, String name, List<Parameter> parameters) {
    this.text = text;
    this.name = name;
    this.parameters = parameters;
  }

  /** Of the value of the header, null if there is none. */
  public static MediaType of(@Nullable String value) {
    if (value == null) {
      return NONE;
    }
    if (value.equals(JSON.text)) {
      return JSON;
    }
    String text = value.trim();
    int semicolon = text.indexOf(';');
    String name = (semicolon < 0 ? text : text.substring(0, semicolon)).trim();
    int slash = name.indexOf('/');
    // Only tokens: case would fold letters beyond ASCII into others.
    if (slash < 0
        || !Tokens.isToken(name.substring(0, slash))
        || !Tokens.isToken(name.substring(slash + 1))) {
      return new MediaType(text, "", List.of());
    }
    List<Parameter> parameters =
        semicolon < 0 ? List.of() : parameters(text, semicolon, new ArrayList<>());
    return parameters == null
        ? new MediaType(text, "", List.of())
        : new MediaType(text, Tokens.lower(name), parameters);
  }

  /** The parameters, each after a semicolon; null if one is not well-formed. */
  private static @Nullable List<Parameter> parameters(
      String text, int semicolon, List<Parameter> found) {
    int at = semicolon;
    while (at < text.length()) {
      int end = endOfParameter(text, at + 1);
      String parameter = text.substring(at + 1, end).trim();
      if (!parameter.isEmpty()) {
        int equals = parameter.indexOf('=');
        String name = parameter.substring(0, Math.max(equals, 0));
        String value = equals < 0 ? null : unquoted(parameter.substring(equals + 1));
        if (value == null || !Tokens.isToken(name)) {
          return null;
        }
        found.add(new Parameter(Tokens.lower(name), value));
      }
      at = end;
    }
    return found;
  }

  /** The next semicolon outside of quotation marks, or the end. */
  private static int endOfParameter(String text, int start) {
    boolean quoted = false;
    for (int at = start; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\' && quoted) {
        at++;
      } else if (c == ';' && !quoted) {
        return at;
      }
    }
    return text.length();
  }

  /** A token, or what is between quotation marks; null if it is neither. */
  private static @Nullable String unquoted(String value) {
    if (!value.startsWith("\"")) {
      return Tokens.isToken(value) ? value : null;
    }
    StringBuilder plain = new StringBuilder();
    for (int at = 1; at < value.length(); at++) {
      char c = value.charAt(at);
      if (c == '"') {
        return at == value.length() - 1 ? plain.toString() : null;
      }
      if (c == '\\' && ++at == value.length()) {
        return null;
      }
      plain.append(value.charAt(at));
    }
    return null;
  }

  boolean isJson() {
    return name.equals("application/json") || name.endsWith("+json");
  }

  boolean isForm() {
    return name.equals("application/x-www-form-urlencoded");
  }

  boolean isMultipart() {
    return name.startsWith("multipart/");
  }

  /** Whether no charset but UTF-8 is named. */
  boolean isUtf8() {
    for (Parameter parameter : parameters) {
      if (parameter.name.equals("charset") && !isUtf8(parameter)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUtf8(Parameter charset) {
    return charset.value.equalsIgnoreCase("utf-8");
  }

  /** What separates the parts of a multipart body; null if that is not said, or said twice. */
  @Nullable String boundary() {
    List<Parameter> said = parameters.stream().filter(it -> it.name.equals("boundary")).toList();
    return said.size() == 1 ? said.get(0).value : null;
  }

  /**
   * The type as the fingerprint has it: in lower case, with its parameters, but for what a client
   * may add or draw anew for its retry and still mean the same: {@code charset=utf-8} of JSON and
   * forms, which are in UTF-8 anyway, and the boundary of parts that were told apart by it.
   *
   * @param apart whether they were
   */
  public String inFingerprint(boolean apart) {
    if (name.isEmpty()) {
      return text;
    }
    if (parameters.isEmpty()) {
      return name;
    }
    StringBuilder said = new StringBuilder(name);
    for (Parameter parameter : parameters) {
      boolean known = parameter.name.equals("charset") && (isJson() || isForm());
      boolean drawn = parameter.name.equals("boundary") && apart;
      if (!(known && isUtf8(parameter)) && !drawn) {
        // With its length: a value in quotation marks may look like the next parameter.
        said.append(';').append(parameter.name).append('=');
        said.append(parameter.value.length()).append(':').append(parameter.value);
      }
    }
    return said.toString();
  }
}
