package dev.once.http.servlet;

import dev.once.core.Header;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a response that the container has no more to do with: its client was
 * answered by a timeout, or has left. They are for the record, and for the handler, which may ask
 * for what it has set. Guarded by the {@link HeldResponse}.
 */
final class DetachedFields {

  static final String CONTENT_TYPE = "Content-Type";

  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";\\s]*)\"?", Pattern.CASE_INSENSITIVE);

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private final List<Header> fields;

  DetachedFields(List<Header> fields) {
    this.fields = new ArrayList<>(fields);
  }

  List<Header> all() {
    return List.copyOf(fields);
  }

  void clear() {
    fields.clear();
  }

  void set(String name, @Nullable String value) {
    fields.removeIf(field -> field.name().equalsIgnoreCase(name));
    add(name, value);
  }

  void add(String name, @Nullable String value) {
    if (value != null) {
      fields.add(new Header(name, value));
    }
  }

  static String date(long date) {
    return DATE.format(Instant.ofEpochMilli(date));
  }

  // What the handler asks for.

  Collection<String> names() {
    Collection<String> names = new LinkedHashSet<>();
    fields.forEach(field -> names.add(field.name()));
    return names;
  }

  Collection<String> values(String name) {
    return fields.stream()
        .filter(field -> field.name().equalsIgnoreCase(name))
        .map(Header::value)
        .toList();
  }

  @Nullable String first(String name) {
    return values(name).stream().findFirst().orElse(null);
  }

  // The charset of its text.

  /**
   * The one that the content type names, or else this, or else UTF-8.
   *
   * @param encoding what the handler asked for; null if it did not
   */
  Charset charset(@Nullable String encoding) throws UnsupportedEncodingException {
    String name = charsetName(encoding);
    try {
      return Charset.forName(name);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new UnsupportedEncodingException(name);
    }
  }

  String charsetName(@Nullable String encoding) {
    String type = first(CONTENT_TYPE);
    Matcher named = CHARSET.matcher(type == null ? "" : type);
    if (named.find()) {
      return named.group(1);
    }
    return encoding == null ? StandardCharsets.UTF_8.name() : encoding;
  }

  /** In the content type, if there is one, in the place of the charset that it names. */
  void setCharset(String charset) {
    fields.replaceAll(
        field -> {
          Matcher named = CHARSET.matcher(field.value());
          return !field.name().equalsIgnoreCase(CONTENT_TYPE)
                  || (named.find() && named.group(1).equalsIgnoreCase(charset))
              ? field
              : new Header(field.name(), named.replaceAll("") + ";charset=" + charset);
        });
  }
}
