package dev.once.http.conformance.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.once.http.conformance.wire.Json;
import dev.once.http.conformance.wire.Text;
import java.io.IOException;
import java.io.Writer;

/** Writes a report as JSON, for programs. */
public final class JsonWriter {

  /** Writes all of the report; flushes the writer, and leaves it open. */
  public void write(Report report, Writer out) throws IOException {
    JsonGenerator json = Json.FACTORY.createGenerator(out).useDefaultPrettyPrinter();
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.writeStartObject();
    json.writeStringField("url", report.url());
    json.writeStringField("draft", Report.DRAFT);
    json.writeBooleanField("strict", report.strict());
    json.writeBooleanField("broken", report.broken());
    json.writeStringField("verdict", report.verdict());
    json.writeNumberField("millis", report.took().toMillis());
    json.writeObjectFieldStart("counts");
    for (Outcome outcome : Outcome.values()) {
      json.writeNumberField(Text.word(outcome), report.count(outcome));
    }
    json.writeEndObject();
    json.writeArrayFieldStart("results");
    for (Result result : report.results()) {
      write(result, json);
    }
    json.writeEndArray();
    json.writeEndObject();
    json.close();
    out.flush();
  }

  private static void write(Result result, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", result.rule().id());
    json.writeStringField("level", result.rule().level().name());
    json.writeStringField("section", result.rule().section());
    json.writeStringField("title", result.rule().title());
    json.writeStringField("outcome", Text.word(result.outcome()));
    json.writeNumberField("millis", result.took().toMillis());
    json.writeArrayFieldStart("detail");
    for (String line : result.detail()) {
      json.writeString(line);
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
