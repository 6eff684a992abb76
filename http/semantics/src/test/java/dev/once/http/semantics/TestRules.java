package dev.once.http.semantics;

/**
 * Rules with all that a server in front would know: the policies of routes, and whose key it is.
 */
record TestRules(Routes routes, ScopeRule scopes, Problems problems) {

  Verdict look(RequestHead head) {
    return new Rules("test", problems)
        .evaluate(head, routes.match(head), () -> scopes.caller(head));
  }
}
