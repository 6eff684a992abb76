package dev.once.spring;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.RoutePattern;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Route;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;

/**
 * Which policy holds: that of the properties, by route; over it, what {@link Idempotent} says.
 * Immutable.
 */
public final class OncePolicies {

  private final Routes routes;

  private OncePolicies(Routes routes) {
    this.routes = routes;
  }

  public static OncePolicies of(OnceProperties properties, Environment environment) {
    Map<String, String> texts = new LinkedHashMap<>(properties.policy());
    if (properties.getProfile() != null) {
      texts.put("profile", properties.getProfile());
    }
    HttpPolicy base = new PolicyTexts("once.", texts, environment).over(HttpPolicy.DEFAULT);
    List<Route> routes = new ArrayList<>();
    for (Map<String, String> route : properties.getRoutes()) {
      String prefix = "once.routes[" + routes.size() + "].";
      PolicyTexts said = new PolicyTexts(prefix, route, environment);
      routes.add(new Route(pattern(said), said.over(base)));
    }
    return new OncePolicies(new Routes(base, routes));
  }

  private static RoutePattern pattern(PolicyTexts route) {
    String match = route.match();
    if (match == null) {
      throw new OnceConfigurationException(
          route.prefix() + "match: missing (expected: such as POST /payments/** or /refunds/*)",
          "Say which requests this route is about.");
    }
    try {
      return RoutePattern.parse(match);
    } catch (IllegalArgumentException e) {
      throw OnceConfigurationException.badValue(
          route.prefix() + "match: ", e, route.origin("match"));
    }
  }

  /** The policies of the properties. */
  public Routes routes() {
    return routes;
  }

  /**
   * The policy of a handler that is annotated.
   *
   * @param base what holds without the annotation
   * @param methods the HTTP methods of the handler, which the annotation brings into scope; empty
   *     for all
   * @param where the handler, for messages
   * @throws OnceConfigurationException if the annotation says what cannot be
   */
  public static HttpPolicy handler(
      HttpPolicy base, Idempotent idempotent, Set<String> methods, String where) {
    HttpPolicy policy = apply(base, idempotent, where);
    Set<String> inScope = new HashSet<>(policy.methods());
    for (String method : methods.isEmpty() ? MUTATIONS : methods) {
      if (MUTATIONS.contains(method)) {
        inScope.add(method);
      }
    }
    return policy.with(p -> p.enabled(true).methods(inScope));
  }

  /** The methods that change something. */
  public static final Set<String> MUTATIONS = Set.of("POST", "PUT", "PATCH", "DELETE");

  /** The annotation of a handler method, its own or its controller's; null if there is none. */
  public static @Nullable Idempotent annotationOf(Method handler, Class<?> controller) {
    Idempotent own = AnnotatedElementUtils.findMergedAnnotation(handler, Idempotent.class);
    return own != null
        ? own
        : AnnotatedElementUtils.findMergedAnnotation(controller, Idempotent.class);
  }

  /** The base with the annotation's values: its attributes have the names of the table. */
  public static HttpPolicy apply(HttpPolicy base, Idempotent idempotent, String where) {
    HttpPolicy policy = base;
    try {
      if (!idempotent.profile().isEmpty()) {
        policy =
            HttpProfile.named(idempotent.profile())
                .policy()
                .with(p -> p.ignoreCase(base.ignoreCase()));
      }
      for (var attribute : AnnotationUtils.getAnnotationAttributes(idempotent).entrySet()) {
        String text = text(attribute.getValue());
        Optional<PolicyValue> value =
            text.isEmpty() ? Optional.empty() : PolicyValue.labelled(label(attribute.getKey()));
        if (value.isPresent()) {
          policy = value.get().set(policy, text);
        }
      }
    } catch (IllegalArgumentException e) {
      throw new OnceConfigurationException(
          "@Idempotent on " + where + ": " + e.getMessage(),
          "Change the annotation's value to one of those that are expected.",
          e);
    }
    return policy;
  }

  /** An attribute that is empty is not said. */
  private static String text(@Nullable Object attribute) {
    return ObjectUtils.isArray(attribute)
        ? StringUtils.arrayToDelimitedString(ObjectUtils.toObjectArray(attribute), ", ")
        : String.valueOf(attribute);
  }

  /** What an attribute is called in the table: {@code on-crash} for {@code onCrash}. */
  static String label(String attribute) {
    return attribute.replaceAll("[A-Z]", "-$0").toLowerCase(Locale.ROOT);
  }
}
