package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConfigurationProblemsTest {

  private static final String DURATION = "(expected: a duration such as 30s, 5m, 24h or 7d)";

  @TempDir Path folder;
  TestSources sources;

  @BeforeEach
  void upstream() {
    sources = TestSources.withUpstream(folder);
  }

  /** The second line is the one at fault. */
  private void fileSays(String line, String problem) {
    assertThat(sources.file("profile: ietf", line).problems()).containsExactly(problem);
  }

  @Test
  void a_name_that_nobody_knows_is_told_with_the_nearest_one() {
    fileSays("retentoin: 2h", "once.yaml:2: retentoin: unknown (did you mean retention?)");
    fileSays("on_busy: wait", "once.yaml:2: on_busy: unknown (did you mean on-busy?)");
    fileSays("Upstream: x", "once.yaml:2: Upstream: unknown (did you mean upstream?)");
    fileSays("route: []", "once.yaml:2: route: unknown (did you mean routes?)");
    fileSays(
        "colour: blue",
        "once.yaml:2: colour: unknown (expected: a setting such as upstream, profile or retention)");
    fileSays(
        "routes: [{match: /x, retntion: 2h}]",
        "once.yaml:2: retntion: unknown (did you mean retention?)");
    fileSays("routes: [{mach: /x, match: /y}]", "once.yaml:2: mach: unknown (did you mean match?)");
  }

  @Test
  void what_a_terminal_would_obey_is_not_repeated() {
    fileSays(
        "\"retention\\u202c\\e\": 2h",
        "once.yaml:2: retention??: unknown (did you mean retention?)");
    fileSays("retention: \"2\\a\\n\\x9bh\"", "once.yaml:2: retention: '2???h' " + DURATION);
  }

  @Test
  void a_setting_of_the_gateway_is_not_for_one_route() {
    fileSays(
        "routes: [{match: /x, store: 'memory:'}]",
        "once.yaml:2: store: is not for one route (expected: at the top of the file)");
  }

  @Test
  void a_body_for_which_there_can_never_be_room_is_told() {
    String expected =
        " (expected: a body is at most three quarters of it; raise this or the heap, or lower that)";
    fileSays(
        "max-held-bytes: 1m",
        "once.yaml:2: max-held-bytes: 1048576 bytes, with a max-request-body of 1048576"
            + expected);
    assertThat(
            sources
                .file("max-held-bytes: 2m", "routes: [{match: POST /large, max-request-body: 2m}]")
                .problems())
        .containsExactly(
            "once.yaml:1: max-held-bytes: 2097152 bytes, with a max-request-body of 2097152"
                + expected);
    assertThat(sources.file("max-held-bytes: 2m").problems()).isEmpty();
  }

  @Test
  void values_that_cannot_be_are_told_with_what_can() {
    fileSays("retention: soon", "once.yaml:2: retention: 'soon' " + DURATION);
    fileSays("ttl: soon", "once.yaml:2: ttl: 'soon' " + DURATION);
    fileSays("retention: 0s", "once.yaml:2: retention: '0s' " + DURATION);
    fileSays("required: maybe", "once.yaml:2: required: 'maybe' (expected: true or false)");
    fileSays(
        "on-busy: wiat",
        "once.yaml:2: on-busy: 'wiat' (expected: reject or wait; did you mean wait?)");
    fileSays("busy-status: 200", "once.yaml:2: busy-status: '200' (expected: 400 to 599)");
    fileSays(
        "methods: [POST, GET]",
        "once.yaml:2: methods: 'POST, GET' (expected: a list such as POST, PATCH, without the safe ones)");
    fileSays(
        "methods: []",
        "once.yaml:2: methods: '' (expected: a list such as POST, PATCH, without the safe ones)");
    fileSays("connections: 0", "once.yaml:2: connections: '0' (expected: 1 or more)");
    fileSays(
        "log-level: warning",
        "once.yaml:2: log-level: 'warning' (expected: trace, debug, info, warn, error or off)");
    fileSays(
        "cors-origins: https://a.example/path",
        "once.yaml:2: cors-origins: 'https://a.example/path'"
            + " (expected: a list of origins such as https://shop.example, or * for all)");
    fileSays(
        "listen: localhost",
        "once.yaml:2: listen: 'localhost' (expected: HOST:PORT, or a port alone; 0 is any free one)");
    fileSays(
        "listen: 0.0.0.0:99999",
        "once.yaml:2: listen: '0.0.0.0:99999' (expected: HOST:PORT, or a port alone; 0 is any free one)");
    fileSays("admin: x", "once.yaml:2: admin: 'x' (expected: HOST:PORT, a port alone, or none)");
    fileSays(
        "tenant-header: a b",
        "once.yaml:2: tenant-header: 'a b' (expected: a header name, or none)");
  }

  @Test
  void a_profile_that_there_is_not_is_refused() {
    String expected = "(expected: ietf, stripe, strict, portal, booking, leads, srs016";
    fileSays(
        "routes: [{match: /x, profile: lead}]",
        "once.yaml:2: profile: 'lead' " + expected + "; did you mean leads?)");
    assertThat(sources.file("retention: 1h").flag("profile", "acme").problems())
        .containsExactly("--profile: 'acme' " + expected + ")");
  }

  @Test
  void values_of_the_wrong_type_are_told_as_such() {
    fileSays("retention: [1h]", "once.yaml:2: retention: a list " + DURATION);
    fileSays("retention: {hours: 1}", "once.yaml:2: retention: a map " + DURATION);
    fileSays("retention:", "once.yaml:2: retention: nothing " + DURATION);
    fileSays(
        "methods: [[POST]]",
        "once.yaml:2: methods: a list (expected: a list such as POST, PATCH, without the safe ones)");
    fileSays(
        "routes: /x",
        "once.yaml:2: routes: a text (expected: a list of '- match: POST /payments', or [])");
    fileSays(
        "routes: [/x]",
        "once.yaml:2: a text (expected: a route such as '- match: POST /payments')");
    fileSays("? [a]\n: b", "once.yaml:2: a key that is no word (expected: a name)");
    assertThat(sources.file("- upstream").problems())
        .containsExactly(
            "once.yaml:1: a list (expected: settings such as 'upstream: http://localhost:3000')");
  }

  @Test
  void a_name_that_is_there_twice_is_refused_also_by_its_other_name() {
    assertThat(sources.file("lease: 1m", "", "lease: 2m").problems())
        .containsExactly("once.yaml:3: lease: is there twice (expected: once; it is in line 1)");
    assertThat(sources.file("retention: 1h", "ttl: 2h").problems())
        .containsExactly(
            "once.yaml:2: ttl: is the same as retention in line 1 (expected: one of them)");
    sources.file("profile: ietf").flag("lease", "1m", "2m");
    assertThat(sources.problems()).containsExactly("--lease: given 2 times (expected: once)");
  }

  @Test
  void a_route_that_says_nothing_that_can_be_is_refused() {
    assertThat(sources.file("routes:", "  - retention: 1h").problems())
        .containsExactly(
            "once.yaml:2: match: missing (expected: such as POST /payments/** or /refunds/*)");
    assertThat(sources.file("routes:", "  - match: payments").problems())
        .containsExactly(
            "once.yaml:2: match: 'payments' (expected: such as POST /payments/** or /refunds/*)");
    assertThat(sources.file("routes:", "  - match: PUT /orders/*").problems())
        .containsExactly(
            "once.yaml:2: match: PUT is not in scope (expected: one of methods, here PATCH, POST)");
    assertThat(sources.file("routes:", "  - match: PUT /orders/*", "    methods: PUT").problems())
        .isEmpty();
    assertThat(sources.file("routes:", "  - match: GET /orders/*", "    enabled: false").problems())
        .isEmpty();
  }

  @Test
  void what_does_not_go_together_is_refused() {
    fileSays("lease: 2h", "once.yaml:2: lease: '2h' (expected: at most longest-run, which is 1h)");
    fileSays(
        "longest-run: 1m",
        "once.yaml:2: longest-run: '1m' (expected: at least lease, which is 5m)");
    fileSays(
        "key-min-length: 300",
        "once.yaml:2: key-min-length: '300' (expected: 1 to key-max-length; key-max-length is 255)");
    fileSays(
        "key-form: uuid-v4\nkey-max-length: 20",
        "once.yaml:3: key-max-length: '20' (expected: a length that uuid-v4 has, 36;"
            + " key-min-length is 1, key-max-length is 20)");
    fileSays(
        "user-header: X-User\nuser-cookie: session",
        "once.yaml:3: user-cookie: together with user-header (expected: one of them)");
    for (String bad : new String[] {"somewhere", "10.0.0.0/33", "::1/129", "10.0.0.0/-1"}) {
      fileSays(
          "trusted-proxies: '" + bad + "'",
          "once.yaml:2: trusted-proxies: '%s' (expected: a list of addresses and ranges such as"
                  .formatted(bad)
              + " 10.0.0.0/8 or ::1)");
    }
    fileSays(
        "tls-certificate: pom.xml", "once.yaml:2: tls-certificate: alone (expected: with tls-key)");
    fileSays("tls-key: pom.xml", "once.yaml:2: tls-key: alone (expected: with tls-certificate)");
    fileSays(
        "upstream-ca: pom.xml",
        "once.yaml:2: upstream-ca: for http://localhost:3000 (expected: with an https upstream)");
    fileSays(
        "admin: 0.0.0.0:8080", "once.yaml:2: admin: port 8080 (expected: another than listen has)");
    fileSays(
        "listen: :3000",
        "--upstream: http://localhost:3000 is where the gateway itself listens (expected: two ports; see listen)");
  }

  @Test
  void a_rule_inherited_is_told_once() {
    assertThat(sources.file("lease: 2h", "routes:", "  - match: /a", "  - match: /b").problems())
        .containsExactly("once.yaml:1: lease: '2h' (expected: at most longest-run, which is 1h)");
  }

  @Test
  void a_certificate_that_is_not_there_is_refused() {
    String here = Path.of("").toAbsolutePath().toString();
    fileSays(
        "tls-certificate: no.pem\ntls-key: pom.xml",
        "once.yaml:2: tls-certificate: 'no.pem' (expected: a file that can be read; there is none in "
            + here
            + ")");
    fileSays(
        "tls-certificate: src\ntls-key: pom.xml",
        "once.yaml:2: tls-certificate: 'src' (expected: a file that can be read; it is a folder)");
  }

  @Test
  void an_upstream_is_needed() {
    assertThat(new TestSources(folder).problems())
        .containsExactly(
            "upstream: missing (expected: a URL such as http://localhost:3000, by --upstream, in the"
                + " file or in ONCE_UPSTREAM)");
  }

  @Test
  void an_upstream_that_is_no_url_is_refused_without_its_password() {
    String expected = "(expected: a URL such as http://localhost:3000)";
    for (String text : List.of("localhost:3000", "ftp://h", "http://h/?a=b", "http:///x", "a b")) {
      assertThat(sources.flag("upstream", text).problems())
          .containsExactly("--upstream: '" + text + "' " + expected);
    }
    assertThat(sources.flag("upstream", "http://me:secret@h").problems())
        .containsExactly("--upstream: it has a user and password (expected: a URL without)");
    assertThat(sources.flag("upstream", "htp://me:secret@h").problems())
        .containsExactly("--upstream: 'htp://****@h' " + expected);
  }

  @Test
  void a_store_that_there_is_not_is_refused_without_its_password() {
    fileSays(
        "store: mongo://me:secret@x",
        "once.yaml:2: store: 'mongo://****@x' (expected: "
            + Stores.expected(StoreRole.STORE)
            + ")");
    fileSays("store: 'sqlite:'", "once.yaml:2: store: 'sqlite:' (expected: sqlite:FILE)");
  }

  @Test
  void a_url_of_a_database_without_a_database_is_refused() {
    fileSays(
        "store: postgresql://me:secret@db",
        "once.yaml:2: store: 'postgresql://****@db' (expected:"
            + " postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE, with %40 for an @ in a"
            + " password, and so on)");
  }

  @Test
  void an_option_that_redis_does_not_have_is_refused() {
    assertThat(sources.flag("store", "redis://:secret@h?colour=red").problems())
        .singleElement()
        .asString()
        .startsWith("--store: redis: option: 'colour' (expected: timeout, ")
        .doesNotContain("secret");
  }

  @Test
  void a_cache_is_a_redis_in_front_of_a_database() {
    assertThat(sources.flag("store", "memory:").flag("cache", "redis://:secret@h").problems())
        .containsExactly(
            "--cache: in front of store memory: (expected: a store that is a database, such as"
                + " postgresql://HOST/DATABASE)");
    sources = TestSources.withUpstream(folder).flag("store", "postgresql://me:secret@db/once");
    assertThat(sources.flag("cache", "sqlite:x").problems())
        .containsExactly(
            "--cache: 'sqlite:x' (expected: redis://HOST, rediss://HOST,"
                + " redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS)");
  }

  @Test
  void a_fallback_is_a_database_behind_a_redis() {
    sources.flag("store", "mariadb://me:secret@db/once");
    assertThat(sources.flag("fallback", "postgresql://me:secret@db/once").problems())
        .containsExactly(
            "--fallback: behind store mariadb://****@db/once (expected: a store that is a Redis,"
                + " such as redis://HOST)");
    sources = TestSources.withUpstream(folder).flag("store", "redis://h");
    assertThat(sources.flag("fallback", "redis://:secret@h").problems())
        .containsExactly(
            "--fallback: 'redis://****@h' (expected: sqlite:FILE, postgresql://HOST/DATABASE or"
                + " mariadb://HOST/DATABASE)");
  }

  @Test
  void a_cache_and_a_fallback_do_not_go_together() {
    sources.flag("store", "redis://h").flag("fallback", "sqlite:x").flag("cache", "redis://h");
    assertThat(sources.problems())
        .containsExactly("--cache: together with fallback (expected: one of them)");
  }

  @Test
  void a_bad_store_is_told_once() {
    sources.flag("store", "mongo://x").flag("cache", "redis://h");
    assertThat(sources.problems()).hasSize(1);
  }

  @Test
  void flags_name_themselves() {
    assertThat(sources.flag("retention", "abc").flag("retentoin", "1h").problems())
        .containsExactlyInAnyOrder(
            "--retention: 'abc' " + DURATION, "--retentoin: unknown (did you mean --retention?)");
    assertThat(
            TestSources.withUpstream(folder).flag("ttl", "1h").flag("retention", "2h").problems())
        .singleElement()
        .asString()
        .contains("is the same as", "(expected: one of them)");
  }

  @Test
  void all_problems_are_told_at_once() {
    sources
        .flag("grace", "x")
        .variable("ONCE_LEASE", "y")
        .file("retentoin: 2h", "lease: z", "routes:", "  - match: /a", "    keep: all", "store: a");
    assertThat(sources.problems())
        .containsExactly(
            "--grace: 'x' " + DURATION,
            "once.yaml:1: retentoin: unknown (did you mean retention?)",
            "once.yaml:2: lease: 'z' " + DURATION,
            "once.yaml:5: keep: 'all' (expected: answer or status-only)",
            "once.yaml:6: store: 'a' (expected: " + Stores.expected(StoreRole.STORE) + ")",
            "ONCE_LEASE: 'y' " + DURATION);
  }

  @Test
  void a_file_is_wrong_also_where_a_flag_is_stronger() {
    sources.flag("retention", "1h").file("retention: soon");
    assertThat(sources.problems()).containsExactly("once.yaml:1: retention: 'soon' " + DURATION);
  }

  @Test
  void text_that_is_no_yaml_is_refused_with_its_line() {
    TestSources alone = new TestSources(folder);
    assertThat(alone.file("a: b", "c: [", "d: e").problems())
        .singleElement()
        .asString()
        .matches("once\\.yaml:[34]: not YAML: .*");
    assertThat(alone.file("grace: 1s", "store: memory:").problems())
        .containsExactly(
            "once.yaml:2: not YAML: a colon where none can be"
                + " (expected: quotes around a text that ends in one)");
    assertThat(alone.file("a: b", "---", "c: d").problems())
        .singleElement()
        .asString()
        .startsWith("once.yaml:2: not YAML: ");
    assertThat(alone.file("a: \u0007").problems())
        .singleElement()
        .asString()
        .startsWith("once.yaml: not YAML: ");
  }

  @Test
  void a_file_that_grows_by_its_aliases_or_has_no_end_is_refused() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 20; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    assertThat(sources.file(bomb.toString()).problems())
        .singleElement()
        .asString()
        .contains("not YAML: ", "aliases");
    assertThat(sources.file("methods: " + "[".repeat(1000)).problems())
        .singleElement()
        .asString()
        .contains("not YAML: ");
    assertThat(sources.file("methods: &m [POST, *m]").problems())
        .containsExactly(
            "once.yaml:1: methods: a list (expected: a list such as POST, PATCH, without the safe ones)");
  }

  @Test
  void a_file_that_is_not_text_or_not_there_is_refused() throws IOException {
    Path file = folder.resolve("once.yaml");
    Map<String, List<String>> flags = Map.of();
    assertThat(problems(new Sources(flags, Path.of("no.yaml"), Map.of())))
        .containsExactly("no.yaml: there is no such file in " + Path.of("").toAbsolutePath());
    assertThat(problems(new Sources(flags, folder, Map.of())))
        .containsExactly(folder + ": is a folder (expected: a file of settings)");
    Files.write(file, new byte[] {'a', (byte) 0xFF});
    assertThat(problems(new Sources(flags, file, Map.of())))
        .containsExactly(file + ": not text in UTF-8");
  }

  private static List<String> problems(Sources sources) {
    try {
      Configuration.load(sources);
      return List.of();
    } catch (ConfigurationException e) {
      return e.problems();
    }
  }

  /** It was cut off, or is about to be written: what was required is not to be dropped for it. */
  @Test
  void a_file_that_says_nothing_is_refused() {
    for (String empty : List.of("", "  ", "# required: true", "---", "{}", "~")) {
      assertThat(sources.file(empty).problems())
          .as(empty)
          .containsExactly(
              "once.yaml: says nothing (expected: settings such as 'upstream:"
                  + " http://localhost:3000')");
    }
    fileSays(
        "routes:",
        "once.yaml:2: routes: nothing (expected: a list of '- match: POST /payments', or [])");
  }

  @Test
  void a_file_that_is_too_large_is_refused_before_it_is_in_memory() {
    assertThat(new TestSources(Path.of("/dev")).existing("zero").problems())
        .containsExactly("zero: more than 1 MB (expected: a file of settings)");
  }
}
