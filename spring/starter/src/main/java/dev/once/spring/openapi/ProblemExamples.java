package dev.once.spring.openapi;

import dev.once.core.Begun;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.http.semantics.Caller;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problem;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.Verdict;
import io.swagger.v3.oas.models.examples.Example;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The refusals of a policy, word for word: those who refuse requests are asked what they would say.
 */
record ProblemExamples(HttpPolicy policy, Problems problems) {

  private static final Scope SCOPE = new Scope("", "", "");

  /** The same in all of them: a description should not change by itself. */
  private static final String INSTANCE = "urn:once:9b2f4c1e7d3a5068f1e2d3c4";

  /** By the types of their bodies, and there by the anchors of their types. */
  Map<String, Map<String, Example>> of(String status) {
    Map<String, Map<String, Example>> examples = new TreeMap<>();
    for (Problem problem : problemsOfPolicy()) {
      if (status.equals(String.valueOf(problem.status()))) {
        Reply reply = problems.reply(problem.withInstance(INSTANCE));
        examples
            .computeIfAbsent(contentType(reply), any -> new LinkedHashMap<>())
            .put(
                problem.type().anchor(),
                new Example().summary(problem.type().title()).value(value(reply)));
      }
    }
    return examples;
  }

  private static String contentType(Reply reply) {
    return reply.headers().stream()
        .filter(header -> header.name().equalsIgnoreCase("Content-Type"))
        .map(Header::value)
        .findFirst()
        .orElse("*/*");
  }

  /** An object, if the format writes one. */
  private static Object value(Reply reply) {
    String text = reply.body().toUtf8();
    try {
      return JsonParserFactory.getJsonParser().parseMap(text);
    } catch (JsonParseException e) {
      return text;
    }
  }

  private List<Problem> problemsOfPolicy() {
    List<Problem> found = new ArrayList<>();
    Rules rules = new Rules("openapi", problems);
    Match match = new Match(policy, Match.EVERYTHING_ELSE);
    for (List<String> keys : List.of(List.<String>of(), List.of(""))) {
      ExampleRequest request = new ExampleRequest(policy, keys);
      if (rules.evaluate(request, match, () -> Caller.of(SCOPE)) instanceof Verdict.Refuse refuse) {
        found.add(refuse.problem());
      }
    }
    Fingerprint asked = Fingerprint.of("asked");
    Operation operation = Operation.of(SCOPE, Key.of("example"), asked, policy.policy());
    List<Claim.Taken> taken =
        List.of(
            new Claim.Busy(asked, Duration.ZERO),
            new Claim.Abandoned(asked, new Fence(1)),
            new Claim.Busy(Fingerprint.of("another"), Duration.ZERO));
    for (Claim.Taken one : taken) {
      if (Begun.forExistingRecord(operation, one) instanceof Begun.Refuse refuse) {
        found.add(problems.of(policy, refuse.refusal()));
      }
    }
    return found;
  }

  /** A request in scope. */
  private record ExampleRequest(HttpPolicy policy, List<String> keys) implements RequestHead {
    @Override
    public String method() {
      return policy.methods().iterator().next();
    }

    @Override
    public String path() {
      return "/";
    }

    @Override
    public @Nullable String query() {
      return null;
    }

    @Override
    public List<String> headers(String name) {
      return keys;
    }

    @Override
    public boolean hasBody() {
      return true;
    }

    @Override
    public @Nullable String client() {
      return null;
    }
  }
}
