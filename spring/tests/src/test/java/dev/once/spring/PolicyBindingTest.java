package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.Routes;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

/**
 * The values of a policy as properties of Spring: by their table, and as any property is written.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PolicyBindingTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(OnceAutoConfiguration.class))
          .withPropertyValues("once.store.url=memory:");

  private Routes routes(ApplicationContextRunner application) {
    AtomicReference<Routes> routes = new AtomicReference<>();
    application.run(context -> routes.set(context.getBean(OncePolicies.class).routes()));
    return routes.get();
  }

  private HttpPolicy base(String... properties) {
    return routes(runner.withPropertyValues(properties)).base();
  }

  private Routes yaml(String... lines) {
    return routes(runner.withInitializer(file(lines)));
  }

  private static ApplicationContextInitializer<ConfigurableApplicationContext> file(
      String... lines) {
    byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    Resource resource = new ByteArrayResource(bytes, "once.yaml");
    return context -> {
      try {
        new YamlPropertySourceLoader()
            .load("file", resource)
            .forEach(context.getEnvironment().getPropertySources()::addFirst);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  private Routes variables(Map<String, Object> variables) {
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    return routes(
        runner.withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .replace(name, new SystemEnvironmentPropertySource(name, variables))));
  }

  private void assertFails(ApplicationContextRunner application, String wrong, String action) {
    application.run(
        context -> {
          Throwable cause = context.getStartupFailure();
          while (cause != null && !(cause instanceof OnceConfigurationException)) {
            cause = cause.getCause();
          }
          assertThat(cause).isNotNull().hasMessage(wrong);
          assertThat(((OnceConfigurationException) cause).action()).contains(action);
        });
  }

  @ParameterizedTest
  @EnumSource
  void every_value_of_the_table_is_a_property(PolicyValue value) {
    for (HttpProfile profile : HttpProfile.ALL) {
      String shown = value.show(profile.policy());
      HttpPolicy policy = value.set(HttpPolicy.DEFAULT, shown);
      assertThat(base("once." + value.label() + "=" + shown)).isEqualTo(policy);
    }
  }

  @ParameterizedTest
  @EnumSource
  void every_value_of_the_table_may_stand_in_a_route(PolicyValue value) {
    String shown = value.show(HttpProfile.LEADS.policy());
    Routes routes =
        routes(
            runner.withPropertyValues(
                "once.routes[0].match=/a", "once.routes[0]." + value.label() + "=" + shown));
    assertThat(routes.policyFor("POST", "/a")).isEqualTo(value.set(HttpPolicy.DEFAULT, shown));
  }

  @ParameterizedTest
  @ValueSource(strings = {"once.on-busy", "once.onBusy", "once.on_busy", "once.ONBUSY"})
  void names_may_be_written_as_any_of_spring(String name) {
    assertThat(base(name + "=wait").policy().onBusy()).isEqualTo(OnBusy.WAIT);
    String inRoute = name.replace("once.", "once.routes[0].");
    Routes routes = routes(runner.withPropertyValues("once.routes[0].match=/a", inRoute + "=wait"));
    assertThat(routes.policyFor("POST", "/a").policy().onBusy()).isEqualTo(OnBusy.WAIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ON_BUSY", "ONBUSY"})
  void variables_of_the_environment_set_them_too(String name) {
    assertThat(variables(Map.of("ONCE_" + name, "wait")).base().policy().onBusy())
        .isEqualTo(OnBusy.WAIT);
    Routes routes = variables(Map.of("ONCE_ROUTES_0_MATCH", "/a", "ONCE_ROUTES_0_" + name, "wait"));
    assertThat(routes.policyFor("POST", "/a").policy().onBusy()).isEqualTo(OnBusy.WAIT);
  }

  @Test
  void lists_of_yaml_are_lists() {
    Routes routes =
        yaml(
            "once:",
            "  methods: [POST, DELETE]",
            "  critical-headers:",
            "    - X-One",
            "    - X-Two",
            "  routes:",
            "    - match: POST /a",
            "      methods:",
            "        - PUT",
            "        - PATCH");
    assertThat(routes.base().methods()).containsExactlyInAnyOrder("POST", "DELETE");
    assertThat(routes.base().criticalHeaders()).containsExactly("X-One", "X-Two");
    assertThat(routes.policyFor("POST", "/a").methods()).containsExactlyInAnyOrder("PUT", "PATCH");
  }

  @Test
  void a_list_may_have_commas_instead() {
    assertThat(base("once.methods=POST,DELETE").methods())
        .containsExactlyInAnyOrder("POST", "DELETE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"36h", "PT36H", "129600s", "2160m"})
  void durations_may_be_written_as_those_of_spring(String text) {
    assertThat(base("once.retention=" + text).policy().retention()).isEqualTo(Duration.ofHours(36));
  }

  @ParameterizedTest
  @ValueSource(strings = {"512KB", "512k", "524288", "524288B"})
  void sizes_may_be_written_as_those_of_spring(String text) {
    assertThat(base("once.max-request-body=" + text).maxRequestBody()).isEqualTo(512 * 1024);
  }

  @Test
  void a_placeholder_is_resolved() {
    assertThat(base("days=3", "once.retention=${days}d").policy().retention())
        .isEqualTo(Duration.ofDays(3));
  }

  @Test
  void two_values_that_bound_each_other_may_be_set_together() {
    HttpPolicy policy = base("once.key-min-length=300", "once.key-max-length=400");
    assertThat(policy.keyRule().minLength()).isEqualTo(300);
  }

  @Test
  void the_routes_are_those_of_the_strongest_place_and_are_not_mixed_with_others() {
    Routes routes =
        routes(
            runner
                .withPropertyValues("once.routes[0].match=/a", "once.routes[0].required=true")
                .withInitializer(file("once.routes[0].match: /a")));
    assertThat(routes.policyFor("POST", "/a").required()).isFalse();
  }

  @Test
  void a_routes_profile_does_not_switch_on_what_is_off() {
    Routes routes =
        yaml(
            "once:",
            "  enabled: false",
            "  routes:",
            "    - match: /a",
            "      profile: stripe",
            "    - match: /b",
            "      profile: stripe",
            "      enabled: true");
    assertThat(routes.policyFor("POST", "/a").enabled()).isFalse();
    assertThat(routes.policyFor("POST", "/b").enabled()).isTrue();
  }

  @Test
  void a_route_may_have_a_profile() {
    Routes routes = yaml("once:", "  routes:", "    - match: /a", "      profile: stripe");
    assertThat(routes.policyFor("POST", "/a")).isEqualTo(HttpProfile.STRIPE.policy());
  }

  @Test
  void a_name_that_is_not_known_is_compared_with_those_that_are() {
    assertFails(
        runner.withPropertyValues("once.requierd=true"),
        "once.requierd: unknown (did you mean once.required?)",
        "Change the name, or remove it");
    assertFails(
        runner.withPropertyValues("once.store.migrat=true"),
        "once.store.migrat: unknown (did you mean once.store.migrate?)",
        "Change the name, or remove it");
    assertFails(
        runner.withPropertyValues("once.routes[0].match=/a", "once.routes[0].requierd=true"),
        "once.routes[0].requierd: unknown (did you mean required?)",
        "Change the name, or remove it");
  }

  @Test
  void an_error_names_the_line_of_the_file() {
    assertFails(
        runner.withInitializer(file("once:", "  retention: soon")),
        "once.retention: 'soon' (expected: a duration such as 30s, 5m, 24h or 7d)",
        "[once.yaml] - 2:14");
    assertFails(
        runner.withInitializer(file("once:", "  retentoin: 1h")),
        "once.retentoin: unknown (did you mean once.retention?)",
        "2:14");
    assertFails(
        runner.withInitializer(
            file("once:", "  routes:", "    - match: /a", "      onBusy: never")),
        "once.routes[0].on-busy: 'never' (expected: reject or wait)",
        "4:15");
  }

  // Annotations.

  /** What is said of a handler or method, and is not a value of its policy. */
  private static final Set<String> NOT_OF_THE_POLICY =
      Set.of("profile", "key", "fingerprint", "name", "sameTransaction");

  @Test
  void every_attribute_of_the_annotation_is_a_value_of_the_table() {
    Set<String> unknown = new HashSet<>();
    for (Method attribute : Idempotent.class.getDeclaredMethods()) {
      if (PolicyValue.labelled(OncePolicies.label(attribute.getName())).isEmpty()) {
        unknown.add(attribute.getName());
      }
    }
    assertThat(unknown).isEqualTo(NOT_OF_THE_POLICY);
  }

  @Idempotent(required = true, retention = "72h", onCrash = OnCrash.RUN_AGAIN, onBusy = OnBusy.WAIT)
  private static final class Annotated {}

  @Idempotent(profile = "strict")
  private static final class Strict {}

  @Test
  void a_profile_by_annotation_says_nothing_about_paths() {
    HttpPolicy base = HttpPolicy.DEFAULT.with(policy -> policy.ignoreCase(true));
    Idempotent strict = Strict.class.getAnnotation(Idempotent.class);
    assertThat(OncePolicies.handler(base, strict, Set.of("POST"), "handler").ignoreCase()).isTrue();
  }

  @Test
  void what_an_annotation_says_is_set_by_the_table() {
    HttpPolicy policy =
        OncePolicies.apply(
            HttpPolicy.DEFAULT, Annotated.class.getAnnotation(Idempotent.class), "here");
    assertThat(List.of("required", "retention", "on-crash", "on-busy", "on-failure"))
        .extracting(label -> PolicyValue.labelled(label).orElseThrow().show(policy))
        .containsExactly("true", "72h", "run-again", "wait", "record");
  }
}
