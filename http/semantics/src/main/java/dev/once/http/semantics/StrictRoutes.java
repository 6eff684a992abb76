package dev.once.http.semantics;

import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.text.Tokens;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Routes in front of a server that may read requests differently. A request is judged in every way
 * in which that server may read it, and refused if the results differ. Otherwise a client could
 * choose a spelling that the rules and the server understand differently.
 *
 * <ul>
 *   <li>A method in another case is refused: some servers take {@code post} for {@code POST}.
 *   <li>A path is judged in each of its {@link PathReadings}.
 *   <li>A header that overrides the method must not need more protection than the method itself.
 * </ul>
 */
public record StrictRoutes(Routes routes) {

  /** The policy of a request, its route, and whether it can be taken for another one. */
  public Match match(RequestHead head) {
    Match match = routes.match(head);
    String ambiguity = ambiguity(head);
    return ambiguity == null ? match : new Match(match.policy(), match.route(), ambiguity);
  }

  private @Nullable String ambiguity(RequestHead head) {
    String method = head.method();
    if (!isUpperCase(method)) {
      return "The method is not in upper case.";
    }
    Set<String> others = otherMethods(head);
    if (others.isEmpty() && PathReadings.isPlain(head.path())) {
      return null;
    }
    if (others.size() > FieldRules.METHOD_FIELDS.size()
        || !others.stream().allMatch(Tokens::isToken)) {
      return "A header is to name another method, and does not name one.";
    }
    PathReadings path = PathReadings.of(head.path(), !routes.routes().isEmpty());
    if (path.error() != null) {
      return path.error();
    }
    List<List<String>> readings = path.readings();
    if (others.isEmpty() && (readings.size() == 1 || routes.routes().isEmpty())) {
      return null;
    }
    Demand demand = demand(head, method, readings.get(0));
    for (List<String> reading : readings) {
      if (!demand(head, method, reading).equals(demand)) {
        return "Servers read this path in several ways, which are under different rules here.";
      }
      for (String other : others) {
        Demand more = demand(head, other, reading);
        if (!more.equals(Demand.NONE) && !more.equals(demand)) {
          return "A header names another method, which is under another rule here.";
        }
      }
    }
    return null;
  }

  private static boolean isUpperCase(String method) {
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      if ((c >= 'a' && c <= 'z') || c > '~') {
        return false;
      }
    }
    return true;
  }

  /** Some frameworks take the first of a list, others the last. */
  private static Set<String> otherMethods(RequestHead head) {
    Set<String> others = Set.of();
    for (String name : FieldRules.METHOD_FIELDS) {
      if (head.header(name) != null) {
        others = new LinkedHashSet<>(others);
        for (String line : head.headers(name)) {
          for (String value : line.split(",", -1)) {
            others.add(value.strip().toUpperCase(Locale.ROOT));
          }
        }
        others.remove("");
      }
    }
    return others;
  }

  private Demand demand(RequestHead head, String method, List<String> path) {
    HttpPolicy policy = routes.policyFor(method, path);
    if (!policy.isInScope(method, head.hasBody())) {
      return Demand.NONE;
    }
    return !head.headers(policy.keyHeader()).isEmpty()
        ? new Demand(true, policy)
        : policy.required() ? Demand.A_KEY : Demand.NONE;
  }

  /**
   * What the rules ask of a request.
   *
   * @param policy what protects it; null if nothing does
   */
  private record Demand(boolean key, @Nullable HttpPolicy policy) {
    static final Demand NONE = new Demand(false, null);
    static final Demand A_KEY = new Demand(true, null);
  }
}
