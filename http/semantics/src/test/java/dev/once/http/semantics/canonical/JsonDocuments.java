package dev.once.http.semantics.canonical;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random documents, and random ways to write one of them. The same seed gives the same. */
final class JsonDocuments {

  /** Characters in places where order, escapes or encodings change. */
  private static final int[] POINTS = {
    0, 1, '\b', '\t', '\n', 0xB, '\f', '\r', 0x1F, ' ', '!', '"', '#', '/', '0', '9', 'A', 'Z', '[',
    '\\', ']', 'a', 'b', 'u', '~', 0x7F, 0x80, 0xE9, 0xFF, 0x100, 0x7FF, 0x800, 0x20AC, 0x2028,
    0xD7FF, 0xE000, 0xFB33, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF
  };

  private static final String SYNTAX = "{}[]\",:\\u0d8eE+-.19 tfn\u0000\u007F";

  private static final String[] SPACES = {"", "", "", " ", "\n", "\t", "\r\n", "   "};

  private final Random random;

  JsonDocuments(long seed) {
    this.random = new Random(seed);
  }

  /** A map, a list, a string, a decimal, a boolean or null; on top, a map or a list. */
  Object document() {
    return random.nextBoolean() ? object(4) : array(4);
  }

  /** One of the ways to write it. */
  byte[] written(Object document) {
    StringBuilder text = new StringBuilder();
    write(document, text);
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** With some bytes changed, left out, put in or said twice. */
  byte[] damaged(byte[] document) {
    byte[] bytes = document;
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(bytes.length + 1);
      int to = Math.min(bytes.length, at + random.nextInt(3));
      byte[] middle = new byte[random.nextInt(3)];
      random.nextBytes(middle);
      if (random.nextBoolean()) {
        for (int k = 0; k < middle.length; k++) {
          middle[k] = (byte) SYNTAX.charAt(random.nextInt(SYNTAX.length()));
        }
      }
      byte[] next = new byte[at + middle.length + bytes.length - to];
      System.arraycopy(bytes, 0, next, 0, at);
      System.arraycopy(middle, 0, next, at, middle.length);
      System.arraycopy(bytes, to, next, at + middle.length, bytes.length - to);
      bytes = next;
    }
    return bytes;
  }

  private Object value(int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 8)) {
      case 0 -> random.nextBoolean();
      case 1 -> null;
      case 2, 3 -> string();
      case 4 -> number();
      case 5 -> array(depth - 1);
      default -> object(depth - 1);
    };
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> members = new HashMap<>();
    int size = random.nextInt(50) == 0 ? 60 : random.nextInt(8);
    for (int i = 0; i < size; i++) {
      members.put(random.nextBoolean() ? "property" + string() : string(), value(depth));
    }
    return members;
  }

  private List<Object> array(int depth) {
    List<Object> values = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      values.add(value(depth));
    }
    return values;
  }

  private String string() {
    StringBuilder text = new StringBuilder();
    boolean plain = random.nextBoolean();
    for (int i = random.nextInt(plain ? 20 : 6); i > 0; i--) {
      text.appendCodePoint(
          plain ? 'a' + random.nextInt(26) : POINTS[random.nextInt(POINTS.length)]);
    }
    return text.toString();
  }

  /** A number that has a canonical form: the fewest digits of a double. */
  private BigDecimal number() {
    return new BigDecimal(CanonicalDouble.format(anyNumber().doubleValue()));
  }

  private BigDecimal anyNumber() {
    return switch (random.nextInt(6)) {
      case 0 -> BigDecimal.valueOf(random.nextInt(100));
      case 1 -> BigDecimal.valueOf(random.nextInt(1_000_000) - 500_000, random.nextInt(12) - 2);
      case 2 -> new BigDecimal(Long.toString(random.nextLong() >> random.nextInt(60)));
      case 3 -> new BigDecimal(new BigInteger(70, random), random.nextInt(60) - 20);
      case 4 -> BigDecimal.valueOf(random.nextDouble());
      default -> {
        double any = Double.longBitsToDouble(random.nextLong());
        yield Double.isFinite(any) ? new BigDecimal(Double.toString(any)) : BigDecimal.ZERO;
      }
    };
  }

  private void write(Object value, StringBuilder text) {
    space(text);
    if (value instanceof Map<?, ?> map) {
      List<Map.Entry<?, ?>> members = new ArrayList<>(map.entrySet());
      Collections.shuffle(members, random);
      String separator = "{";
      for (Map.Entry<?, ?> member : members) {
        space(text.append(separator));
        write((String) member.getKey(), text);
        space(text);
        write(member.getValue(), text.append(':'));
        separator = ",";
      }
      space(text.append(members.isEmpty() ? "{" : ""));
      text.append('}');
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object element : list) {
        write(element, text.append(separator));
        separator = ",";
      }
      space(text.append(list.isEmpty() ? "[" : ""));
      text.append(']');
    } else if (value instanceof String string) {
      write(string, text);
    } else {
      text.append(value instanceof BigDecimal number ? written(number) : String.valueOf(value));
    }
    space(text);
  }

  private void space(StringBuilder text) {
    text.append(SPACES[random.nextInt(SPACES.length)]);
  }

  private String written(BigDecimal number) {
    BigDecimal scaled = number.setScale(number.scale() + random.nextInt(3));
    return switch (random.nextInt(4)) {
      case 0 -> scaled.unscaledValue() + "e" + -scaled.scale();
      case 1 ->
          scaled.unscaledValue()
              + "E"
              + (scaled.scale() > 0 ? "-" : "+0")
              + Math.abs(scaled.scale());
      case 2 -> scaled.toString();
      default -> Math.abs(scaled.scale()) < 400 ? scaled.toPlainString() : scaled.toString();
    };
  }

  private void write(String string, StringBuilder text) {
    text.append('"');
    string.codePoints().forEach(point -> write(point, text));
    text.append('"');
  }

  private void write(int point, StringBuilder text) {
    int letter = "\"\\/\b\f\n\r\t".indexOf(point);
    if (letter >= 0 && random.nextBoolean()) {
      text.append('\\').append("\"\\/bfnrt".charAt(letter));
    } else if (point < ' ' || point == '"' || point == '\\' || random.nextInt(8) == 0) {
      HexFormat hex = random.nextBoolean() ? HexFormat.of() : HexFormat.of().withUpperCase();
      for (char unit : Character.toChars(point)) {
        text.append("\\u").append(hex.toHexDigits(unit));
      }
    } else {
      text.appendCodePoint(point);
    }
  }
}
