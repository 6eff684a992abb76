package dev.once.http.servlet;

import dev.once.core.Bytes;
import jakarta.servlet.http.HttpServletRequest;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a form, from a body that the container cannot read any more. */
final class FormBody {

  private static final String TYPE = "application/x-www-form-urlencoded";

  private FormBody() {}

  /** Whether a container makes parameters of the body: of a POST it must. */
  static boolean isForm(HttpServletRequest request) {
    String type = request.getContentType();
    if (type == null || !methodOfContainer(request).equals("POST")) {
      return false;
    }
    int end = type.indexOf(';');
    String media = (end < 0 ? type : type.substring(0, end)).strip();
    return media.toLowerCase(Locale.ROOT).equals(TYPE);
  }

  /**
   * A filter outside may tell another one (Spring's hidden method); the container parses by its
   * own.
   */
  private static String methodOfContainer(HttpServletRequest request) {
    return (BufferedRequest.ofContainer(request) instanceof HttpServletRequest own ? own : request)
        .getMethod();
  }

  /** All parameters: the values of the query come first. */
  static Map<String, String[]> merge(
      Map<String, String[]> ofQuery, Bytes body, @Nullable String charsetName)
      throws UnsupportedEncodingException {
    Charset charset = charset(charsetName);
    Map<String, List<String>> all = new LinkedHashMap<>();
    ofQuery.forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
    for (String pair : charset.decode(body.asBuffer()).toString().split("&", -1)) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        all.computeIfAbsent(decode(name, charset), any -> new ArrayList<>())
            .add(decode(value, charset));
      }
    }
    Map<String, String[]> merged = new LinkedHashMap<>();
    all.forEach((name, values) -> merged.put(name, values.toArray(String[]::new)));
    return merged;
  }

  private static Charset charset(@Nullable String name) throws UnsupportedEncodingException {
    try {
      return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new UnsupportedEncodingException(name);
    }
  }

  /** As it came, if it is not well-formed. */
  private static String decode(String text, Charset charset) {
    try {
      return URLDecoder.decode(text, charset);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
