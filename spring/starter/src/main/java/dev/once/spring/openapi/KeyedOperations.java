package dev.once.spring.openapi;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problems;
import dev.once.spring.Idempotent;
import dev.once.spring.OncePolicies;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.web.method.HandlerMethod;

/**
 * Finds the operations that are in scope, and tells of keys there ({@link KeyDescription}).
 *
 * <p>springdoc shows an operation twice: first with its handler and without its path, then with its
 * path and without its handler. The first time the handler is noted on it, the second time it is
 * taken off again.
 */
final class KeyedOperations implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {

  private static final String HANDLER = "x-once-handler";

  private final OncePolicies policies;
  private final Problems problems;

  KeyedOperations(OncePolicies policies, Problems problems) {
    this.policies = policies;
    this.problems = problems;
  }

  @Override
  public Operation customize(Operation operation, HandlerMethod handler) {
    if (OncePolicies.annotationOf(handler.getMethod(), handler.getBeanType()) != null) {
      operation.addExtension(HANDLER, handler);
    }
    return operation;
  }

  @Override
  public void customise(OpenAPI openApi) {
    if (openApi.getPaths() == null) {
      return;
    }
    boolean any = false;
    for (Map.Entry<String, PathItem> path : openApi.getPaths().entrySet()) {
      for (var operation : path.getValue().readOperationsMap().entrySet()) {
        any |= describe(path.getKey(), operation.getKey(), operation.getValue());
      }
    }
    if (any) {
      if (openApi.getComponents() == null) {
        openApi.setComponents(new Components());
      }
      openApi.getComponents().addSchemas(KeyDescription.PROBLEM, KeyDescription.problem());
    }
  }

  private boolean describe(String path, HttpMethod method, Operation operation) {
    HttpPolicy policy = policy(path, method, takeHandler(operation));
    boolean inScope =
        policy.enabled()
            && policy.methods().contains(method.name())
            && (policy.bodiless() || operation.getRequestBody() != null);
    if (inScope) {
      new KeyDescription(policy, new ProblemExamples(policy, problems)).addTo(operation);
    }
    return inScope;
  }

  private HttpPolicy policy(String path, HttpMethod method, @Nullable HandlerMethod handler) {
    HttpPolicy base = policies.routes().policyFor(method.name(), path);
    Idempotent idempotent =
        handler == null
            ? null
            : OncePolicies.annotationOf(handler.getMethod(), handler.getBeanType());
    return handler == null || idempotent == null
        ? base
        : OncePolicies.handler(base, idempotent, Set.of(method.name()), handler.toString());
  }

  private static @Nullable HandlerMethod takeHandler(Operation operation) {
    Map<String, Object> extensions = operation.getExtensions();
    if (extensions == null || !(extensions.remove(HANDLER) instanceof HandlerMethod handler)) {
      return null;
    }
    if (extensions.isEmpty()) {
      operation.setExtensions(null);
    }
    return handler;
  }
}
