package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Stores;
import dev.once.http.gateway.ClientLimits;
import dev.once.http.gateway.GatewaySettings;
import dev.once.http.gateway.GatewaySettings.Address;
import dev.once.http.gateway.TrustedProxies;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConfigurationTest {

  @TempDir Path folder;
  TestSources sources;

  @BeforeEach
  void upstream() {
    sources = TestSources.withUpstream(folder);
  }

  private Duration retention() {
    return sources.load().settings().routes().base().policy().retention();
  }

  @Test
  void an_upstream_is_enough() {
    GatewaySettings settings = sources.load().settings();

    assertThat(settings.upstream()).isEqualTo(URI.create("http://localhost:3000"));
    assertThat(settings.listen()).isEqualTo(new Address("0.0.0.0", 8080));
    assertThat(settings.admin()).isEqualTo(new Address("127.0.0.1", 8081));
    assertThat(settings.connections()).isEqualTo(256);
    assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.responseTimeout()).isEqualTo(Duration.ofSeconds(60));
    assertThat(settings.idleTimeout()).isEqualTo(Duration.ofSeconds(4));
    assertThat(settings.storeTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.grace()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.store()).hasToString("sqlite:once.db");
    assertThat(settings.scopes()).isEqualTo(ScopeRule.DEFAULT.withAnonymous(false));
    assertThat(settings.corsOrigins()).isEmpty();
    assertThat(settings.routes().base()).isEqualTo(HttpProfile.IETF.policy());
    assertThat(settings.tls()).isNull();
    assertThat(settings.docs()).isNull();
    assertThat(settings.upstreamCa()).isNull();
    assertThat(sources.load().logLevel()).isEqualTo("warn");
  }

  @Test
  void a_flag_is_stronger_than_the_file_the_file_than_the_environment() {
    sources.variable("ONCE_RETENTION", "1h");
    assertThat(retention()).isEqualTo(Duration.ofHours(1));
    sources.file("retention: 2h");
    assertThat(retention()).isEqualTo(Duration.ofHours(2));
    sources.flag("retention", "3h");
    assertThat(retention()).isEqualTo(Duration.ofHours(3));
  }

  @Test
  void what_is_given_is_stronger_than_the_profile() {
    sources.variable("ONCE_RETENTION", "1h").flag("profile", "leads");
    assertThat(retention()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void ttl_is_another_name_for_retention() {
    sources.variable("ONCE_TTL", "1h");
    assertThat(retention()).isEqualTo(Duration.ofHours(1));
    sources.file("ttl: 2h");
    assertThat(retention()).isEqualTo(Duration.ofHours(2));
    sources.flag("ttl", "3h");
    assertThat(retention()).isEqualTo(Duration.ofHours(3));
  }

  @ParameterizedTest
  @EnumSource(PolicyValue.class)
  void every_value_of_a_policy_can_be_set_in_every_place(PolicyValue value) {
    String text = value.show(HttpProfile.LEADS.policy()).replace(", ", ",");
    String written = text.isEmpty() ? "Accept" : text;
    sources.flag("key-max-length", "36").flag("key-min-length", "36");
    HttpPolicy wanted = value.set(sources.load().settings().routes().base(), written);

    String variable = "ONCE_" + value.label().toUpperCase(java.util.Locale.ROOT).replace('-', '_');
    TestSources byVariable = new TestSources(folder).variable(variable, written);
    TestSources byFile = new TestSources(folder).file(value.label() + ": " + written);
    TestSources byFlag = new TestSources(folder).flag(value.label(), written);
    for (TestSources source : List.of(byVariable, byFile, byFlag)) {
      source.flag("upstream", "http://localhost:3000");
      if (!value.label().startsWith("key-m")) {
        source.flag("key-max-length", "36").flag("key-min-length", "36");
      } else {
        source.flag(
            value == PolicyValue.KEY_MIN_LENGTH ? "key-max-length" : "key-min-length", "36");
      }
      assertThat(source.load().settings().routes().base()).isEqualTo(wanted);
    }
  }

  @Test
  void every_setting_of_a_gateway_can_be_set_in_every_place() {
    Map<GatewayValue, String> texts =
        Map.ofEntries(
            Map.entry(GatewayValue.UPSTREAM, "https://api.example/base"),
            Map.entry(GatewayValue.UPSTREAM_CA, "pom.xml"),
            Map.entry(GatewayValue.CONNECTIONS, "7"),
            Map.entry(GatewayValue.CONNECT_TIMEOUT, "1s"),
            Map.entry(GatewayValue.RESPONSE_TIMEOUT, "2s"),
            Map.entry(GatewayValue.IDLE_TIMEOUT, "3s"),
            Map.entry(GatewayValue.LISTEN, "127.0.0.1:9000"),
            Map.entry(GatewayValue.TLS_CERTIFICATE, "pom.xml"),
            Map.entry(GatewayValue.TLS_KEY, "pom.xml"),
            Map.entry(GatewayValue.ADMIN, "127.0.0.1:9001"),
            Map.entry(GatewayValue.DOCS_URL, "https://api.example/docs"),
            Map.entry(GatewayValue.CORS_ORIGINS, "https://a.example,https://b.example:81"),
            Map.entry(GatewayValue.STORE, "mariadb://db/once"),
            Map.entry(GatewayValue.CACHE, "redis://cache"),
            Map.entry(GatewayValue.STORE_TIMEOUT, "4s"),
            Map.entry(GatewayValue.TENANT_HEADER, "X-Tenant"),
            Map.entry(GatewayValue.USER_HEADER, "X-User"),
            Map.entry(GatewayValue.ANONYMOUS, "true"),
            Map.entry(GatewayValue.TRUSTED_PROXIES, "10.0.0.0/8,::1"),
            Map.entry(GatewayValue.MAX_CONNECTIONS, "8"),
            Map.entry(GatewayValue.HEAD_TIMEOUT, "5s"),
            Map.entry(GatewayValue.CLIENT_IDLE_TIMEOUT, "6s"),
            Map.entry(GatewayValue.BODY_TIMEOUT, "7s"),
            Map.entry(GatewayValue.MAX_HELD_BYTES, "9m"),
            Map.entry(GatewayValue.GRACE, "0s"),
            Map.entry(GatewayValue.PROFILE, "leads"),
            Map.entry(GatewayValue.LOG_LEVEL, "debug"));
    Path pom = Path.of("pom.xml");
    GatewaySettings wanted =
        new GatewaySettings(
            URI.create("https://api.example/base"),
            pom,
            7,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            new Address("127.0.0.1", 9000),
            new GatewaySettings.Tls(pom, pom),
            new Address("127.0.0.1", 9001),
            URI.create("https://api.example/docs"),
            Stores.parse("mariadb://db/once"),
            Stores.parse("redis://cache"),
            null,
            Duration.ofSeconds(4),
            dev.once.http.semantics.Routes.all(HttpProfile.LEADS.policy()),
            new ScopeRule("X-Tenant", User.HEADER, "X-User", true),
            TrustedProxies.parse("10.0.0.0/8, ::1"),
            List.of("https://a.example", "https://b.example:81"),
            new ClientLimits(
                8,
                Duration.ofSeconds(5),
                Duration.ofSeconds(6),
                Duration.ofSeconds(7),
                9L * 1024 * 1024),
            Duration.ZERO);

    TestSources byFlag = new TestSources(folder);
    TestSources byVariable = new TestSources(folder);
    StringBuilder lines = new StringBuilder();
    texts.forEach(
        (value, text) -> {
          byFlag.flag(value.label(), text);
          byVariable.variable("ONCE_" + value.name(), text);
          lines.append(value.label()).append(": '").append(text).append("'\n");
        });
    TestSources byFile = new TestSources(folder).file(lines.toString());
    for (TestSources source : List.of(byFlag, byFile, byVariable)) {
      assertThat(source.load().settings()).isEqualTo(wanted);
      assertThat(source.load().logLevel()).isEqualTo("debug");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HEADER, user-header, X-User",
    "COOKIE, user-cookie, session",
  })
  void users_are_told_apart_by(User user, String label, String name) {
    ScopeRule scopes = sources.flag(label, name).load().settings().scopes();
    assertThat(scopes).isEqualTo(new ScopeRule(null, user, name, false));
  }

  @Test
  void callers_without_an_identity_share_one_space_of_keys_if_that_is_said() {
    ScopeRule scopes = sources.flag("anonymous", "true").load().settings().scopes();
    assertThat(scopes).isEqualTo(new ScopeRule(null, User.AUTHORIZATION, null, true));
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:9000, 127.0.0.1, 9000",
    ":9000, 0.0.0.0, 9000",
    "9000, 0.0.0.0, 9000",
    "0, 0.0.0.0, 0",
    "[::1]:9000, ::1, 9000",
    "example.org:9000, example.org, 9000",
  })
  void an_address_is_a_host_and_a_port(String text, String host, int port) {
    assertThat(sources.flag("listen", text).load().settings().listen())
        .isEqualTo(new Address(host, port));
  }

  @Test
  void a_port_alone_opens_the_admin_port_on_this_machine_only() {
    assertThat(sources.flag("admin", "9001").load().settings().admin())
        .isEqualTo(new Address("127.0.0.1", 9001));
  }

  @Test
  void none_takes_back_what_a_weaker_place_gives() {
    sources.file("user-header: X-User", "tenant-header: X-Tenant");
    sources.flag("user-header", "none").flag("tenant-header", "none").flag("admin", "none");
    GatewaySettings settings = sources.load().settings();
    assertThat(settings.scopes()).isEqualTo(ScopeRule.DEFAULT.withAnonymous(false));
    assertThat(settings.admin()).isNull();
  }

  @Test
  void a_list_can_be_written_in_three_ways() {
    for (TestSources source :
        List.of(
            TestSources.withUpstream(folder).file("methods: [POST, PUT]"),
            TestSources.withUpstream(folder).file("methods:", "  - POST", "  - PUT"),
            TestSources.withUpstream(folder).file("methods: POST, PUT"),
            TestSources.withUpstream(folder).flag("methods", "POST,PUT"),
            TestSources.withUpstream(folder).flag("methods", "POST", "PUT"))) {
      assertThat(source.load().settings().routes().base().methods())
          .containsExactlyInAnyOrder("POST", "PUT");
    }
  }

  @Test
  void values_that_bound_one_another_may_come_in_any_order() {
    sources.file(
        "profile: leads", "key-form: visible-ascii", "key-min-length: 40", "key-max-length: 50");
    assertThat(sources.load().settings().routes().base().keyRule().minLength()).isEqualTo(40);
    sources.file(
        "profile: leads", "key-form: visible-ascii", "key-max-length: 20", "key-min-length: 10");
    assertThat(sources.load().settings().routes().base().keyRule().maxLength()).isEqualTo(20);
  }

  @Test
  void memory_needs_no_quotes_without_its_colon() {
    assertThat(sources.file("store: memory").load().settings().store()).hasToString("memory:");
  }

  @Test
  void an_empty_list_of_routes_is_none() {
    assertThat(sources.file("routes: []").load().settings().routes().base())
        .isEqualTo(HttpProfile.IETF.policy());
  }

  @Test
  void the_environment_may_name_the_file() {
    sources.file("retention: 2h");
    Path file = folder.resolve("once.yaml");
    Sources sources =
        new Sources(
            Map.of("upstream", List.of("http://localhost:3000")),
            null,
            Map.of("ONCE_CONFIG", file.toString(), "ONCE_JAVA_OPTS", "-Xmx1g"));
    assertThat(Configuration.load(sources).show(GatewayValue.UPSTREAM))
        .isEqualTo("http://localhost:3000");
    assertThat(sources.file()).isEqualTo(file);
  }

  @Test
  void a_slash_at_the_end_of_the_upstream_is_dropped() {
    assertThat(sources.flag("upstream", "http://localhost:3000/").load().settings().upstream())
        .isEqualTo(URI.create("http://localhost:3000"));
  }
}
