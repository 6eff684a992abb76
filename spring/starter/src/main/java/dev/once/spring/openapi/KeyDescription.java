package dev.once.spring.openapi;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.KeyForm;
import dev.once.http.semantics.PolicyValue;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a policy adds to the description of an operation: the header, the refusals, the marker of a
 * replay. What the application has described itself stays; to do it twice changes nothing.
 */
record KeyDescription(HttpPolicy policy, ProblemExamples examples) {

  /** The name of the schema of refusals. */
  static final String PROBLEM = "IdempotencyProblem";

  private static final String PROBLEM_JSON = "application/problem+json";

  /** Of a shape that is allowed by every form but the composite one. */
  private static final String EXAMPLE = "550e8400-e29b-41d4-a716-446655440000";

  private static final String COMPOSITE_EXAMPLE = "user-7:book:room-12:1767225600000";

  void addTo(Operation operation) {
    List<Parameter> parameters = operation.getParameters();
    boolean described =
        parameters != null
            && parameters.stream()
                .anyMatch(
                    parameter ->
                        "header".equals(parameter.getIn())
                            && policy.keyHeader().equalsIgnoreCase(parameter.getName()));
    if (!described) {
      operation.addParametersItem(header());
    }
    if (operation.getResponses() == null) {
      operation.setResponses(new ApiResponses());
    }
    operation.getResponses().forEach(this::addMarker);
    refusals().forEach((status, text) -> addProblem(operation.getResponses(), status, text));
  }

  private Parameter header() {
    Schema<?> schema =
        new StringSchema()
            .minLength(policy.keyRule().minLength())
            .maxLength(policy.keyRule().maxLength())
            .pattern("^" + policy.keyRule().form().regex() + "$");
    return new HeaderParameter()
        .name(policy.keyHeader())
        .required(policy.required())
        .description(
            "Names this operation: send a new key with a new request, and the same key with every"
                + " retry of it. The request takes effect once, and every retry gets its answer,"
                + " for %s. A key has %s."
                    .formatted(PolicyValue.RETENTION.show(policy), policy.keyRule().describe()))
        .schema(schema)
        .example(policy.keyRule().form() == KeyForm.COMPOSITE ? COMPOSITE_EXAMPLE : EXAMPLE);
  }

  /** By status: a profile may have two reasons for one. */
  private Map<String, String> refusals() {
    Map<String, String> refusals = new TreeMap<>();
    String missing = policy.required() ? "missing, or not well-formed" : "not well-formed";
    add(refusals, 400, "The idempotency key is " + missing + ".");
    add(
        refusals,
        policy.busyStatus(),
        "The first request with this idempotency key still runs: come back as Retry-After says.");
    add(refusals, 409, "Whether the first request took effect is not known.");
    add(
        refusals,
        policy.mismatchStatus(),
        "The idempotency key was used before, for another request.");
    return refusals;
  }

  private static void add(Map<String, String> refusals, int status, String text) {
    refusals.merge(String.valueOf(status), text, (one, other) -> one + " Or: " + other);
  }

  private void addProblem(ApiResponses responses, String status, String text) {
    ApiResponse response = responses.computeIfAbsent(status, any -> new ApiResponse());
    if (response.get$ref() != null) {
      return;
    }
    String known = response.getDescription();
    if (known == null || known.isBlank()) {
      response.setDescription(text);
    } else if (!known.contains(text)) {
      response.setDescription(known + " Or: " + text);
    }
    if (response.getContent() == null) {
      response.setContent(new Content());
    }
    examples.of(status).forEach((type, some) -> addExamples(response.getContent(), type, some));
  }

  private static void addExamples(Content content, String type, Map<String, Example> examples) {
    MediaType body = content.computeIfAbsent(type, any -> new MediaType().schema(schema(type)));
    if (body.getExample() == null && body.getExamples() == null) {
      body.setExamples(examples);
    }
  }

  /** Another format is known by its examples. */
  private static Schema<?> schema(String type) {
    return type.equals(PROBLEM_JSON)
        ? new Schema<>().$ref("#/components/schemas/" + PROBLEM)
        : new ObjectSchema();
  }

  private void addMarker(String status, ApiResponse response) {
    boolean success = status.startsWith("2") || status.equals("default");
    boolean described =
        response.getHeaders() != null && response.getHeaders().containsKey(policy.marker());
    if (success && !described && response.get$ref() == null) {
      response.addHeaderObject(
          policy.marker(),
          new Header()
              .description("\"true\" if this is the recorded answer of an earlier request.")
              .schema(new StringSchema().addEnumItem("true")));
    }
  }

  /** RFC 9457, as {@code StandardFormat.PROBLEM} writes it. */
  static Schema<?> problem() {
    return new ObjectSchema()
        .description("Why the request was not run (RFC 9457).")
        .addProperty("type", new StringSchema().format("uri").description("What it means."))
        .addProperty("title", new StringSchema())
        .addProperty("status", new IntegerSchema())
        .addProperty("detail", new StringSchema().description("What to do."))
        .addProperty(
            "instance",
            new StringSchema()
                .format("uri")
                .description("Names this one refusal; the log of the service has it too."))
        .addProperty(
            "retry",
            new StringSchema()
                ._enum(List.of("same-key", "new-key", "never"))
                .description(
                    "What to do: send the same request with the same key again; send it with a new"
                        + " key; or nothing, as it would be refused again."))
        .addProperty(
            "retention",
            new StringSchema().description("How long answers are kept, as an ISO 8601 duration."));
  }
}
