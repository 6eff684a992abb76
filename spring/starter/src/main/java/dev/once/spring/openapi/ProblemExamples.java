package dev.once.spring.openapi;

import dev.once.core.Begun;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.Verdict;
import io.swagger.v3.oas.models.examples.Example;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The refusals of a policy, word for word: those who refuse requests are asked what they would say.
 */
record ProblemExamples(HttpPolicy policy, Problems problems) {

  private static final Scope SCOPE = new Scope("", "", "");

  /** By the anchors of their types. */
  Map<String, Example> of(String status) {
    Map<String, Example> examples = new LinkedHashMap<>();
    for (Reply reply : replies()) {
      if (status.equals(String.valueOf(reply.status()))) {
        Map<String, Object> problem =
            JsonParserFactory.getJsonParser()
                .parseMap(new String(reply.body().toArray(), StandardCharsets.UTF_8));
        String type = String.valueOf(problem.get("type"));
        examples.put(
            type.substring(type.indexOf('#') + 1),
            new Example().summary(String.valueOf(problem.get("title"))).value(problem));
      }
    }
    return examples;
  }

  private List<Reply> replies() {
    List<Reply> replies = new ArrayList<>();
    Rules rules = new Rules(head -> policy, head -> SCOPE, problems);
    for (List<String> keys : List.of(List.<String>of(), List.of(""))) {
      if (rules.look(new Asked(policy, keys)) instanceof Verdict.Refuse refuse) {
        replies.add(refuse.reply());
      }
    }
    Fingerprint asked = Fingerprint.of("asked");
    Operation operation = Operation.of(SCOPE, Key.of("example"), asked, policy.policy());
    List<Claim.Taken> found =
        List.of(
            new Claim.Busy(asked, Duration.ZERO),
            new Claim.Abandoned(asked, new Fence(1)),
            new Claim.Busy(Fingerprint.of("another"), Duration.ZERO));
    for (Claim.Taken taken : found) {
      if (Begun.without(operation, taken) instanceof Begun.Refuse refuse) {
        replies.add(problems.refusal(policy, refuse.refusal()));
      }
    }
    return replies;
  }

  /** A request in scope. */
  private record Asked(HttpPolicy policy, List<String> keys) implements RequestHead {
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
