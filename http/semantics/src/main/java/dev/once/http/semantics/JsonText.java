package dev.once.http.semantics;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.once.core.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes small JSON objects. Its factory is made at the first: most processes start without. */
final class JsonText {

  private static final JsonFactory FACTORY = new JsonFactory();

  /** What stands in an object. */
  interface Members {
    void write(JsonGenerator json) throws IOException;
  }

  private JsonText() {}

  static Bytes object(Members members) {
    ByteArrayOutputStream body = new ByteArrayOutputStream(512);
    try (JsonGenerator json = FACTORY.createGenerator(body)) {
      json.writeStartObject();
      members.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is no stream that could fail
    }
    return Bytes.wrap(body.toByteArray());
  }
}
