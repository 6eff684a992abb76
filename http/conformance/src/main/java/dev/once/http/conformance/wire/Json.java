package dev.once.http.conformance.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JSON value, no more of it than the rules need. */
public sealed interface Json {

  /** A name that comes twice is refused: nobody can say which one counts. */
  JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** Members in the order in which they came. */
  record Members(Map<String, Json> byName) implements Json {}

  record Elements(List<Json> inOrder) implements Json {}

  record Words(String text) implements Json {}

  /** A number, true, false or null, spelled as it came. */
  record Literal(String spelling) implements Json {}

  /** The value that the text is; empty if it is not JSON. */
  static Optional<Json> parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        return Optional.empty();
      }
      Json value = read(parser);
      return parser.nextToken() == null ? Optional.of(value) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Json read(JsonParser parser) throws IOException {
    if (parser.hasToken(JsonToken.START_OBJECT)) {
      Map<String, Json> members = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        members.put(name, read(parser));
      }
      return new Members(members);
    }
    if (parser.hasToken(JsonToken.START_ARRAY)) {
      List<Json> elements = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        elements.add(read(parser));
      }
      return new Elements(elements);
    }
    return parser.hasToken(JsonToken.VALUE_STRING)
        ? new Words(parser.getText())
        : new Literal(parser.getText());
  }

  /** The value at a JSON pointer (RFC 6901). */
  default Optional<Json> at(String pointer) {
    Optional<Json> found = Optional.of(this);
    if (!pointer.isEmpty()) {
      for (String part : pointer.substring(1).split("/", -1)) {
        String name = part.replace("~1", "/").replace("~0", "~");
        found = found.flatMap(value -> value.child(name));
      }
    }
    return found;
  }

  private Optional<Json> child(String name) {
    if (this instanceof Members members) {
      return Optional.ofNullable(members.byName().get(name));
    }
    boolean index = this instanceof Elements && name.matches("0|[1-9]\\d{0,8}");
    if (index && Integer.parseInt(name) < ((Elements) this).inOrder().size()) {
      return Optional.of(((Elements) this).inOrder().get(Integer.parseInt(name)));
    }
    return Optional.empty();
  }

  /** The text of a member that is a string. */
  default Optional<String> words(String member) {
    return child(member)
        .flatMap(v -> v instanceof Words w ? Optional.of(w.text()) : Optional.empty());
  }
}
