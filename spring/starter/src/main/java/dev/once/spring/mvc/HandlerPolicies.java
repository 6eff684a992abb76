package dev.once.spring.mvc;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Match;
import dev.once.spring.AsyncReturnTypes;
import dev.once.spring.Idempotent;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
import dev.once.spring.transaction.OnceTransactions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Which policy a request is under: that of the properties, and over it what {@link Idempotent} on
 * its handler says. The handler is found as Spring MVC will find it, a moment later; where no
 * handler is annotated, and transactions are not begun for all of them, none is looked for.
 */
final class HandlerPolicies implements SmartInitializingSingleton {

  /**
   * What holds for one request; kept with it.
   *
   * @param handler null if it is not a method, or was not looked for
   */
  record InForce(Match match, boolean sameTransaction, @Nullable HandlerMethod handler) {
    HttpPolicy policy() {
      return match.policy();
    }
  }

  private static final Logger log = LoggerFactory.getLogger(HandlerPolicies.class);
  private static final String ATTRIBUTE = InForce.class.getName();
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  private final Routes routes;
  private final OnceProperties properties;
  private final boolean sameTransaction;
  private final ListableBeanFactory beans;

  /** In the order in which Spring MVC asks them; none if no handler needs to be looked for. */
  private volatile List<RequestMappingHandlerMapping> mappings = List.of();

  private volatile Map<MethodClassKey, AnnotatedHandler> annotated = Map.of();

  /** Handlers that are not annotated, and cannot be in the transaction that a property asks for. */
  private final Set<MethodClassKey> later = ConcurrentHashMap.newKeySet();

  HandlerPolicies(OncePolicies policies, OnceProperties properties, ListableBeanFactory beans) {
    this.routes = policies.routes();
    this.properties = properties;
    this.sameTransaction = properties.isSameTransaction();
    this.beans = beans;
  }

  /** Finds the annotated handlers, and fails if an annotation says what cannot be. */
  @Override
  public void afterSingletonsInstantiated() {
    List<RequestMappingHandlerMapping> all =
        new ArrayList<>(
            beans.getBeansOfType(RequestMappingHandlerMapping.class, true, false).values());
    all.sort(AnnotationAwareOrderComparator.INSTANCE);
    Map<MethodClassKey, AnnotatedHandler> found = new HashMap<>();
    for (RequestMappingHandlerMapping mapping : all) {
      mapping
          .getHandlerMethods()
          .forEach(
              (info, handler) -> {
                Idempotent idempotent =
                    OncePolicies.annotationOf(handler.getMethod(), handler.getBeanType());
                if (idempotent != null) {
                  found
                      .computeIfAbsent(
                          key(handler),
                          any -> new AnnotatedHandler(handler, idempotent, properties))
                      .add(info, routes.base());
                }
              });
    }
    found.values().forEach(AnnotatedHandler::check);
    if (!found.isEmpty() && !properties.getFilter().isEnabled()) {
      throw new OnceConfigurationException(
          "once.filter.enabled: false, but @Idempotent is on the handler %s (expected: true)"
              .formatted(found.values().iterator().next().where()),
          "Remove the property, or the annotation: without the filter it does nothing.");
    }
    if (sameTransaction || found.values().stream().anyMatch(AnnotatedHandler::sameTransaction)) {
      OnceTransactions.require(beans);
      all.forEach(mapping -> requireOneTransaction(mapping, found));
    }
    annotated = Map.copyOf(found);
    mappings = found.isEmpty() && !sameTransaction ? List.of() : List.copyOf(all);
  }

  /** Fails if a handler wants a transaction that the key could not be in. */
  private void requireOneTransaction(
      RequestMappingHandlerMapping mapping, Map<MethodClassKey, AnnotatedHandler> found) {
    OnceTransactions transactions = beans.getBean(OnceTransactions.class);
    mapping
        .getHandlerMethods()
        .forEach(
            (info, handler) -> {
              AnnotatedHandler one = found.get(key(handler));
              if (one == null ? !sameTransaction : !one.sameTransaction()) {
                return;
              }
              boolean mayHaveKeys = one == null ? mayHaveKeys(info) : mayMutate(info);
              String type = AsyncReturnTypes.typeOf(handler.getMethod(), handler.getBeanType());
              if (one == null && type != null) {
                leaveOut(handler, type, mayHaveKeys);
              } else if (mayHaveKeys) {
                transactions.definition(handler.getMethod(), handler.getBeanType());
                OnceTransactions.requireAnswerAtOnce(handler.getMethod(), handler.getBeanType());
              }
            });
  }

  /**
   * A property for all handlers does not stop the start for those that cannot be in their request's
   * transaction: they may be a library's, and never get a key. If one does, a lease protects it.
   */
  private void leaveOut(HandlerMethod handler, String type, boolean mayHaveKeys) {
    later.add(key(handler));
    if (mayHaveKeys) {
      log.warn(
          "once.same-transaction: not for {}.{}, which answers later, by {}; a request to it that"
              + " has a key is protected by a lease. @Idempotent(sameTransaction = false) on it"
              + " says so too, without this warning",
          handler.getBeanType().getName(),
          handler.getMethod().getName(),
          type);
    }
  }

  /** Whether it is for a method that a key may come with; no other is under an annotation. */
  private static boolean mayMutate(RequestMappingInfo info) {
    Set<RequestMethod> named = info.getMethodsCondition().getMethods();
    return named.isEmpty()
        || named.stream().anyMatch(method -> OncePolicies.MUTATIONS.contains(method.name()));
  }

  /** Whether requests with keys come to a handler that is not annotated. */
  private boolean mayHaveKeys(RequestMappingInfo info) {
    if (!properties.getFilter().isEnabled()) {
      return false;
    }
    Set<RequestMethod> named = info.getMethodsCondition().getMethods();
    for (String method : OncePolicies.MUTATIONS) {
      for (String path : info.getPatternValues()) {
        HttpPolicy policy = routes.policyFor(method, path);
        if ((named.isEmpty() || named.contains(RequestMethod.valueOf(method)))
            && policy.enabled()
            && policy.methods().contains(method)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The policy of a request, and its route. */
  Match match(HttpServletRequest request) {
    return of(request).match();
  }

  InForce of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof InForce known) {
      return known;
    }
    InForce found = find(request);
    request.setAttribute(ATTRIBUTE, found);
    return found;
  }

  private InForce find(HttpServletRequest request) {
    Match base = routes.match(request.getMethod(), pathOf(request));
    HandlerMethod handler = handler(request);
    AnnotatedHandler known = handler == null ? null : annotated.get(key(handler));
    return known == null
        ? new InForce(base, sameTransaction && !isLeased(handler), handler)
        : new InForce(
            new Match(known.policy(base.policy()), base.route()), known.sameTransaction(), handler);
  }

  private boolean isLeased(@Nullable HandlerMethod handler) {
    return handler != null && later.contains(key(handler));
  }

  static boolean isSafe(HttpServletRequest request) {
    return SAFE.contains(request.getMethod());
  }

  /** Within the application: routes do not name what it is deployed under. */
  private static String pathOf(HttpServletRequest request) {
    String path = request.getRequestURI();
    String context = request.getContextPath();
    return path.startsWith(context) ? path.substring(context.length()) : path;
  }

  private @Nullable HandlerMethod handler(HttpServletRequest request) {
    if (mappings.isEmpty() || isSafe(request)) {
      return null;
    }
    LookupRequest lookup = new LookupRequest(request);
    ServletRequestPathUtils.parseAndCache(lookup);
    for (RequestMappingHandlerMapping mapping : mappings) {
      try {
        HandlerExecutionChain chain = mapping.getHandler(lookup);
        if (chain != null) {
          return chain.getHandler() instanceof HandlerMethod handler ? handler : null;
        }
      } catch (Exception e) {
        return null; // 404, 405, 415 and so on, which Spring MVC will say itself
      }
    }
    return null;
  }

  private static MethodClassKey key(HandlerMethod handler) {
    return new MethodClassKey(handler.getMethod(), handler.getBeanType());
  }

  /** A handler and its annotation. Each policy that it makes of another is made once. */
  private static final class AnnotatedHandler {
    private final HandlerMethod handler;
    private final Idempotent idempotent;
    private final boolean sameTransaction;
    private final Set<String> methods = ConcurrentHashMap.newKeySet();
    private final Map<HttpPolicy, HttpPolicy> made = new ConcurrentHashMap<>();
    private boolean anyMethod;

    AnnotatedHandler(HandlerMethod handler, Idempotent idempotent, OnceProperties properties) {
      this.handler = handler;
      this.idempotent = idempotent;
      this.sameTransaction = properties.isSameTransaction(idempotent);
    }

    void add(RequestMappingInfo info, HttpPolicy base) {
      Set<RequestMethod> named = info.getMethodsCondition().getMethods();
      anyMethod |= named.isEmpty();
      named.forEach(method -> methods.add(method.name()));
      policy(base); // says now what is wrong with it
    }

    void check() {
      if (!idempotent.key().isEmpty() || !idempotent.fingerprint().isEmpty()) {
        throw new OnceConfigurationException(
            "@Idempotent on the handler %s: it has a key or a fingerprint of its own (expected: none)"
                .formatted(where()),
            "The key of a request is its header's. Move the annotation to a method of another bean"
                + " that the handler calls, or remove key and fingerprint.");
      }
      boolean own = handler.hasMethodAnnotation(Idempotent.class);
      if (own && !anyMethod && methods.stream().noneMatch(OncePolicies.MUTATIONS::contains)) {
        throw new OnceConfigurationException(
            "@Idempotent on the handler %s: it is for %s only (expected: a method that changes something)"
                .formatted(where(), methods.stream().sorted().collect(Collectors.joining(", "))),
            "Remove the annotation: a safe method may be repeated anyway.");
      }
    }

    boolean sameTransaction() {
      return sameTransaction;
    }

    HttpPolicy policy(HttpPolicy base) {
      return made.computeIfAbsent(
          base,
          from -> OncePolicies.handler(from, idempotent, anyMethod ? Set.of() : methods, where()));
    }

    private String where() {
      return handler.getBeanType().getName() + "." + handler.getMethod().getName();
    }
  }

  /** The request as a handler mapping may see it without leaving its attributes behind. */
  private static final class LookupRequest extends HttpServletRequestWrapper {
    private final Map<String, @Nullable Object> own = new HashMap<>();

    LookupRequest(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable Object getAttribute(String name) {
      return own.containsKey(name) ? own.get(name) : super.getAttribute(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
      own.put(name, value);
    }

    @Override
    public void removeAttribute(String name) {
      own.put(name, null);
    }

    @Override
    public java.util.Enumeration<String> getAttributeNames() {
      List<String> names = Collections.list(super.getAttributeNames());
      names.addAll(own.keySet());
      return Collections.enumeration(names);
    }
  }
}
