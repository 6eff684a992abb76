package dev.once.spring;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;

/**
 * Warns at the start if callers may not be told apart. If the application authenticates in a filter
 * of its own behind ours, the user is not known yet when a recorded answer is looked up, and one
 * user could get the answer of another.
 */
public final class CallerIdentityWarning {

  private static final Logger log = LoggerFactory.getLogger(CallerIdentityWarning.class);

  /** Filters of Spring Security, in servlets and in WebFlux; ours come after them. */
  private static final List<String> SECURITY =
      List.of(
          "springSecurityFilterChain",
          "org.springframework.security.config.annotation.web.reactive.WebFluxSecurityConfiguration"
              + ".WebFilterChainFilter");

  private CallerIdentityWarning() {}

  /** Warns if neither Spring Security nor a rule of the application's says who a caller is. */
  public static void warnUnless(
      OnceProperties.ScopeProperties scope, boolean hasTenants, BeanFactory beans) {
    if (hasTenants
        || scope.getUserHeader() != null
        || scope.getUserCookie() != null
        || scope.getTenantHeader() != null
        || SECURITY.stream().anyMatch(beans::containsBean)) {
      return;
    }
    log.warn(
        "Callers are told apart by the header Authorization only: without it, a caller who sends"
            + " another one's key and request gets the other one's answer. If users are"
            + " authenticated in another way (by a cookie, by a filter of your own), set"
            + " once.scope.user-header or once.scope.user-cookie, or put once.filter.order behind"
            + " that filter.");
  }
}
