package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.ErrorPolicy;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Mismatch;
import dev.once.http.conformance.RefusalStyle;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetBuilder;
import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyPage;
import dev.once.http.semantics.Routes;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The conformance suite against a servlet under the filter: each profile in each container, and
 * answers that come at once as well as later.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ConformanceTest {

  private static final Set<String> NO_KEY_REQUIRED = Set.of("draft-2.7-missing");
  private static final Set<String> KEY_REQUIRED = Set.of("beyond-no-key");

  /** Another payload is another operation, so there is no mismatch to look at. */
  private static final Set<String> KEY_REQUIRED_NO_MISMATCH =
      Set.of("beyond-no-key", "draft-2.7-reuse-status", "beyond-mismatch-first");

  /**
   * A profile as its documentation describes it.
   *
   * @param notAsked the rules that are skipped, and no other
   */
  private record Described(
      HttpProfile profile, Set<String> notAsked, UnaryOperator<TargetBuilder> description) {

    @Override
    public String toString() {
      return profile.name();
    }
  }

  private static final List<Described> PROFILES =
      List.of(
          new Described(HttpProfile.IETF, NO_KEY_REQUIRED, t -> t.required(Required.NO)),
          new Described(
              HttpProfile.STRIPE,
              NO_KEY_REQUIRED,
              t ->
                  t.keyStyle(KeyStyle.UUID)
                      .required(Required.NO)
                      .mismatch(Mismatch.parse("400"))
                      .refusals(RefusalStyle.STRIPE)),
          new Described(HttpProfile.STRICT, KEY_REQUIRED, t -> t.required(Required.YES)),
          new Described(
              HttpProfile.PORTAL,
              NO_KEY_REQUIRED,
              t -> withX(t).keyStyle(KeyStyle.UUID).required(Required.NO)),
          new Described(
              HttpProfile.BOOKING,
              KEY_REQUIRED,
              t ->
                  t.keyStyle(KeyStyle.COMPOSITE)
                      .required(Required.YES)
                      .errors(ErrorPolicy.RELEASED)),
          new Described(
              HttpProfile.LEADS,
              KEY_REQUIRED_NO_MISMATCH,
              t ->
                  withX(t)
                      .keyStyle(KeyStyle.UUID)
                      .required(Required.YES)
                      .mismatch(Mismatch.EXECUTED)
                      .failures(ErrorPolicy.RELEASED)),
          new Described(
              HttpProfile.SRS016,
              NO_KEY_REQUIRED,
              t -> t.keyStyle(KeyStyle.UUID).required(Required.NO).failures(ErrorPolicy.RELEASED)));

  private static TargetBuilder withX(TargetBuilder target) {
    return target.keyHeader("X-Idempotency-Key").marker("X-Idempotency-Replay: true");
  }

  static Stream<Arguments> cases() {
    return Stream.of(Containers.values())
        .flatMap(
            kind ->
                PROFILES.stream()
                    .map(profile -> Arguments.of(kind, profile, profile.equals(PROFILES.get(0)))));
  }

  /** Orders: one more for each, slow if asked to be, and refused or failed by their body. */
  private static final class Orders implements Handler {

    private final HttpPolicy policy;
    private final boolean later;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger effects = new AtomicInteger();

    Orders(HttpPolicy policy, boolean later) {
      this.policy = policy;
      this.later = later;
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      if (request.getRequestURI().equals("/count")) {
        response.getOutputStream().print(effects.get());
        return;
      }
      if (request.getRequestURI().equals("/docs")) {
        response.setContentType("text/html;charset=utf-8");
        response.getWriter().print(PolicyPage.render(Routes.all(policy)));
        return;
      }
      int id = runs.incrementAndGet();
      String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      String slow = request.getHeader("X-Slow");
      long delay = slow == null ? 0 : Long.parseLong(slow);
      if (later) {
        AsyncContext async = request.startAsync();
        CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS)
            .execute(
                () -> {
                  answer((HttpServletResponse) async.getResponse(), id, body);
                  async.complete();
                });
      } else {
        CompletableFuture.runAsync(
                () -> {}, CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS))
            .join();
        answer(response, id, body);
      }
    }

    private void answer(HttpServletResponse response, int id, String body) {
      int status = body.contains("\"reject\"") ? 402 : body.contains("\"fail\"") ? 500 : 201;
      if (status == 201) {
        effects.incrementAndGet();
      }
      response.setStatus(status);
      response.setContentType("application/json");
      response.setHeader("Location", "/orders/" + id);
      response.addHeader("Set-Cookie", "visit=" + id);
      response.addHeader("X-Part", "one");
      response.addHeader("X-Part", "two");
      try {
        response
            .getOutputStream()
            .write(
                "{\"id\":\"%d\",\"made\":\"café\"}".formatted(id).getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @ParameterizedTest(name = "{1} keeps every rule in {0} (answers later: {2})")
  @MethodSource("cases")
  void conforms(Containers kind, Described described, boolean later) throws Exception {
    HttpPolicy policy = described.profile().policy();
    try (Server server =
        Server.start(
            kind,
            filter -> filter.routes(Routes.all(policy)).docs(URI.create("/docs")),
            new Orders(policy, later))) {
      Target target =
          described
              .description()
              .apply(Target.at(server.url("/orders").toString()))
              .header("Authorization: Bearer one")
              .secondHeader("Authorization: Bearer two")
              .countUrl(server.url("/count").toString())
              .slowHeader("X-Slow: 400")
              .rejectBody("{\"reject\":\"" + Target.UNIQUE + "\"}")
              .failBody("{\"fail\":\"" + Target.UNIQUE + "\"}")
              .strict(true)
              .build();
      Report report = Conformance.run(target, Listener.NONE);
      assertThat(report.broken()).as(faults(report)).isFalse();
      assertThat(unjudged(report)).as(faults(report)).isEqualTo(described.notAsked());
    }
  }

  private static Set<String> unjudged(Report report) {
    return report.results().stream()
        .filter(result -> result.outcome() != Outcome.PASSED)
        .map(result -> result.rule().id())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String faults(Report report) {
    return report.results().stream()
        .filter(result -> result.outcome() != Outcome.PASSED)
        .map(result -> result.outcome() + " " + result.rule().id() + " " + result.detail())
        .collect(Collectors.joining("\n", report.verdict() + "\n", ""));
  }
}
