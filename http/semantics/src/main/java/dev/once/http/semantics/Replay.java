package dev.once.http.semantics;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A recorded answer for one retry, as {@link ReplayRule} says. */
final class Replay {

  private final RequestHead head;
  private final HttpPolicy policy;

  Replay(RequestHead head, HttpPolicy policy) {
    this.head = head;
    this.policy = policy;
  }

  /**
   * The answer, marked.
   *
   * @throws IllegalArgumentException if the record holds what no answer can have
   */
  Reply of(Answer answer) {
    if (answer.body() instanceof Body.Full full) {
      Bytes decoded = decoded(answer, full.bytes());
      return new Reply(
          answer.code(),
          fields(answer, answer.headers(), decoded != null),
          decoded == null ? full.bytes() : decoded);
    }
    List<Header> fields = fields(answer, FieldRules.withoutBody(answer.headers()), false);
    if (answer.code() == 204 || answer.code() == 304) {
      return new Reply(answer.code(), fields, Bytes.EMPTY);
    }
    fields.add(new Header("Content-Type", "application/json"));
    return new Reply(answer.code(), fields, notKept(answer));
  }

  private List<Header> fields(Answer answer, List<Header> recorded, boolean decoded) {
    boolean sameOrigin = isForThisOrigin(value(answer, "Access-Control-Allow-Origin"));
    List<Header> fields = new ArrayList<>(recorded.size() + 1);
    for (Header field : recorded) {
      FieldRules.checked(field);
      switch (ReplayRule.of(field.name())) {
        case OF_THE_CONNECTION, OF_THE_MESSAGE, OF_THE_CALLER, OF_THE_MOMENT -> {}
        case OF_THE_ORIGIN -> {
          if (sameOrigin) {
            fields.add(field);
          }
        }
        case OF_THE_CODING, OF_THE_BYTES -> {
          if (!decoded) {
            fields.add(field);
          }
        }
        case OF_CACHES ->
            fields.add(hasAge(field.value()) ? new Header(field.name(), "no-store") : field);
        case OF_THE_VERSION ->
            fields.add(
                decoded && field.value().startsWith("\"")
                    ? new Header(field.name(), "W/" + field.value())
                    : field);
        case OTHERS -> fields.add(field);
      }
    }
    fields.add(new Header(policy.marker(), "true"));
    return fields;
  }

  /** Whether caches may keep an answer that says this, for a time that it says. */
  private static boolean hasAge(String cacheControl) {
    String lower = cacheControl.toLowerCase(Locale.ROOT);
    return (lower.contains("max-age") || lower.contains("s-maxage")) && !lower.contains("no-store");
  }

  private boolean isForThisOrigin(@Nullable String allowed) {
    return allowed != null && (allowed.equals("*") || allowed.equals(head.header("Origin")));
  }

  /** The body in plain, if this client does not say that it takes the coding; null otherwise. */
  private @Nullable Bytes decoded(Answer answer, Bytes body) {
    String coding = value(answer, "Content-Encoding");
    return coding == null
            || body.size() == 0
            || value(answer, "Content-Range") != null
            || ContentCoding.isNamed(coding, head.headers("Accept-Encoding"))
        ? null
        : ContentCoding.decoded(coding, body, policy.policy().maxStoredBody());
  }

  /** The lines of a field as one; null if it is not there. */
  private static @Nullable String value(Answer answer, String name) {
    String value = null;
    for (Header field : answer.headers()) {
      if (field.name().equalsIgnoreCase(name)) {
        value = value == null ? field.value() : value + ", " + field.value();
      }
    }
    return value;
  }

  /** Says that there was a body, and where its subject may be found. */
  private Bytes notKept(Answer answer) {
    String location =
        answer.headers().stream()
            .filter(
                header ->
                    header.name().equalsIgnoreCase("location")
                        || header.name().equalsIgnoreCase("content-location"))
            .map(Header::value)
            .findFirst()
            .orElse(head.path());
    String original =
        answer.body() instanceof Body.Digest digest
            ? "\"bytes\":%d,\"sha256\":\"%s\",".formatted(digest.size(), digest.sha256().toHex())
            : "";
    return Bytes.utf8(
        "{\"replayed\":true,\"status\":%d,%s\"detail\":\"%s\",\"get\":\"%s\"}"
            .formatted(
                answer.code(),
                original,
                "The request was done before. Its answer was not kept; GET what it made.",
                new String(JsonStringEncoder.getInstance().quoteAsString(location))));
  }
}
