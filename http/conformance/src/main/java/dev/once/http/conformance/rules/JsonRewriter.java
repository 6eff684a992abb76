package dev.once.http.conformance.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.once.http.conformance.wire.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Writes a JSON value so that it looks different and means the same. */
final class JsonRewriter {

  private JsonRewriter() {}

  /** Members last to first, white space everywhere, numbers spelled as they came. */
  static String of(Json value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = Json.FACTORY.createGenerator(text).useDefaultPrettyPrinter()) {
      write(value, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(Json value, JsonGenerator out) throws IOException {
    if (value instanceof Json.Members members) {
      out.writeStartObject();
      List<Map.Entry<String, Json>> entries = new ArrayList<>(members.byName().entrySet());
      Collections.reverse(entries);
      for (Map.Entry<String, Json> entry : entries) {
        out.writeFieldName(entry.getKey());
        write(entry.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof Json.Elements elements) {
      out.writeStartArray();
      for (Json element : elements.inOrder()) {
        write(element, out);
      }
      out.writeEndArray();
    } else if (value instanceof Json.Words words) {
      out.writeString(words.text());
    } else if (value instanceof Json.Literal literal) {
      out.writeRawValue(literal.spelling());
    } else {
      throw new AssertionError("JSON of a new kind: " + value);
    }
  }
}
