package dev.once.http.semantics.canonical;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The rules again, in the plainest way: with Jackson, a tree and decimals. Slow. */
final class SlowCanonicalJson {

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(CanonicalJson.MAX_DEPTH)
                  .maxNumberLength(CanonicalNumber.MAX_LENGTH)
                  .build())
          .build();

  private SlowCanonicalJson() {}

  /** The canonical form, or null if there is none. */
  static byte[] of(byte[] body) {
    try {
      // A new decoder reports what is malformed; it does not replace it.
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      // Jackson would take these for signs of another encoding.
      if (text.startsWith("\uFEFF") || text.indexOf('\0') >= 0) {
        return null;
      }
      // Not over the text: there, Jackson takes any character for the digit that ends its code.
      try (JsonParser parser = FACTORY.createParser(body)) {
        String canonical = value(parser, parser.nextToken());
        return parser.nextToken() == null ? encoded(canonical) : null;
      }
    } catch (IOException | ArithmeticException noCanonicalForm) {
      return null;
    }
  }

  private static byte[] encoded(String text) throws CharacterCodingException {
    ByteBuffer buffer = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static String value(JsonParser parser, JsonToken token) throws IOException {
    if (token == null) {
      throw new IOException("no value");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> quoted(parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getText());
      default -> parser.getText();
    };
  }

  private static String object(JsonParser parser) throws IOException {
    Map<String, String> members = new TreeMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      members.put(name, quoted(name) + ":" + value(parser, parser.nextToken()));
    }
    return "{" + String.join(",", members.values()) + "}";
  }

  private static String array(JsonParser parser) throws IOException {
    StringBuilder text = new StringBuilder();
    for (JsonToken token; (token = parser.nextToken()) != JsonToken.END_ARRAY; ) {
      text.append(text.isEmpty() ? "" : ",").append(value(parser, token));
    }
    return "[" + text + "]";
  }

  private static String quoted(String string) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      int letter = "\"\\\b\f\n\r\t".indexOf(c);
      if (letter >= 0) {
        text.append('\\').append("\"\\bfnrt".charAt(letter));
      } else if (c < ' ') {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"').toString();
  }

  private static String number(String literal) {
    double number = Double.parseDouble(literal);
    boolean zero = literal.replaceAll("[eE].*", "").matches("[-.0]*");
    if (Double.isInfinite(number) || (number == 0 && !zero)) {
      throw new ArithmeticException("not in the range of a double");
    }
    String canonical = number(number);
    if (!zero && new BigDecimal(literal).compareTo(new BigDecimal(canonical)) != 0) {
      throw new ArithmeticException("not the same value");
    }
    return canonical;
  }

  /** ECMAScript's Number::toString by its definition: try one digit, then two, and so on. */
  static String number(double number) {
    if (number == 0) {
      return "0";
    }
    if (number < 0) {
      return "-" + number(-number);
    }
    BigDecimal exact = new BigDecimal(number);
    BigDecimal found = null;
    for (int digits = 1; found == null; digits++) {
      BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
      BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
      BigDecimal closest = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
      // At a power of two the closest may be another double, and the one on the other side not.
      for (BigDecimal candidate : List.of(below, above, closest)) {
        found = Double.parseDouble(candidate.toString()) == number ? candidate : found;
      }
    }
    String s = found.stripTrailingZeros().unscaledValue().toString();
    int k = s.length();
    int n = k - found.stripTrailingZeros().scale();
    if (k <= n && n <= 21) {
      return s + "0".repeat(n - k);
    } else if (0 < n && n <= 21) {
      return s.substring(0, n) + "." + s.substring(n);
    } else if (-6 < n && n <= 0) {
      return "0." + "0".repeat(-n) + s;
    }
    String exponent = (n > 0 ? "e+" : "e-") + Math.abs(n - 1);
    return k == 1 ? s + exponent : s.charAt(0) + "." + s.substring(1) + exponent;
  }
}
