package dev.once.http.semantics;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refusals as {@code application/problem+json} (RFC 9457).
 *
 * @param docs the policy page; a problem's type is a place on it
 */
public record Problems(URI docs) {

  /** Where there is no page that clients can reach: types are names then, and no links. */
  public static final URI NO_PAGE = URI.create("about:blank");

  /** Made at the first problem: most processes start without one. */
  private static final class Json {
    static final JsonFactory FACTORY = new JsonFactory();
  }

  /** What a refusal of the engine, or one about the key, looks like under a policy. */
  public Reply refusal(HttpPolicy policy, Refusal refusal) {
    int status =
        switch (refusal.reason()) {
          case MISSING, MALFORMED -> 400;
          case MISMATCH -> policy.mismatchStatus();
          case BUSY -> policy.busyStatus();
          case STORE_DOWN, OVER_QUOTA -> 503;
          case OUTCOME_UNKNOWN, OWNERSHIP_LOST -> 409;
        };
    ProblemType type = ProblemType.of(refusal.reason());
    return problem(policy, status, type, refusal.detail(), refusal.retryAfter());
  }

  /**
   * Any problem.
   *
   * @param policy states its retention; null where none applies
   */
  public Reply problem(
      @Nullable HttpPolicy policy,
      int status,
      ProblemType type,
      String detail,
      @Nullable Duration retryAfter) {
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("Content-Type", "application/problem+json"));
    headers.add(new Header("Cache-Control", "no-store"));
    if (retryAfter != null) {
      long seconds = Math.max(1, retryAfter.plusMillis(999).toSeconds());
      headers.add(new Header("Retry-After", String.valueOf(seconds)));
    }
    return new Reply(status, headers, write(policy, status, type, detail));
  }

  private Bytes write(@Nullable HttpPolicy policy, int status, ProblemType type, String detail) {
    ByteArrayOutputStream body = new ByteArrayOutputStream(512);
    try (JsonGenerator json = Json.FACTORY.createGenerator(body)) {
      json.writeStartObject();
      json.writeStringField("type", docs + "#" + type.anchor());
      json.writeStringField("title", type.title());
      json.writeNumberField("status", status);
      json.writeStringField("detail", detail);
      if (policy != null) {
        json.writeStringField("retention", policy.policy().retention().toString());
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is no stream that could fail
    }
    return Bytes.wrap(body.toByteArray());
  }
}
