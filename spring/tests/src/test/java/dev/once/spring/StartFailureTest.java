package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What cannot work stops the application when it starts, and says what to change. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTest {

  private static void assertFails(
      CapturedOutput output, Application application, String wrong, String action) {
    assertThatThrownBy(() -> application.start().close()).isNotNull();
    String told = output.getAll().replaceAll("\\s+", " ");
    assertThat(told)
        .contains("APPLICATION FAILED TO START")
        .contains("Description: " + wrong)
        .contains("Action: ")
        .contains(action);
  }

  private static Application plain(Class<?>... beans) {
    return Application.of(beans).withoutWeb();
  }

  @Test
  void an_unknown_profile(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.profile", "iets"),
        "once.profile: iets (expected: one of ietf, stripe, strict, portal, booking, leads, srs016)",
        "Change the value");
  }

  @Test
  void a_value_that_is_none(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.retention", "soon"),
        "once.retention: 'soon' (expected: a duration such as 30s, 5m, 24h or 7d)",
        "Change the value");
  }

  @Test
  void a_value_of_a_route_that_is_none(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.routes[0].match", "/a").with("once.routes[0].busy-status", "200"),
        "once.routes[0].busy-status: '200' (expected: 400 to 599)",
        "Change the value");
  }

  @Test
  void a_route_without_a_pattern(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.routes[0].required", "true"),
        "once.routes[0].match: missing",
        "Say which requests");
  }

  @Test
  void a_misspelt_name(CapturedOutput output) {
    assertThatThrownBy(() -> plain().with("once.requierd", "true").start()).isNotNull();
    assertThat(output.getAll()).contains("APPLICATION FAILED TO START").contains("once.requierd");
  }

  @Test
  void a_store_url_of_jdbc(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.url", "jdbc:postgresql://localhost/once"),
        "once.store.url: 'jdbc:postgresql://localhost/once' (expected:"
            + " postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE)",
        "Change the value");
  }

  @Test
  void a_store_url_of_no_store(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.url", "mongo://ann:s3cret@localhost"),
        "once.store.url: 'mongo://****@localhost' (expected: memory:, sqlite:FILE, ",
        "Change the value");
    assertThat(output.getAll()).doesNotContain("s3cret");
  }

  @Configuration
  static class RedisOfAnotherClient {
    @Bean
    RedisConnectionFactory jedis() {
      return (RedisConnectionFactory)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {RedisConnectionFactory.class},
              (proxy, method, arguments) -> method.invoke("jedis", arguments));
    }
  }

  @Test
  void a_redis_of_another_client_than_lettuce(CapturedOutput output) {
    assertFails(
        output,
        plain(RedisOfAnotherClient.class).with("once.store.url", null),
        "The Redis connection factory is not one of Lettuce (expected: a LettuceConnectionFactory,"
            + " which keys can be kept in)",
        "once.store.kind to embedded");
    assertThat(Path.of("once.db")).doesNotExist();
  }

  @Test
  void a_cache_that_is_no_redis(@TempDir Path folder, CapturedOutput output) {
    assertFails(
        output,
        plain()
            .with("once.store.url", "sqlite:" + folder.resolve("keys.db"))
            .with("once.store.cache", "sqlite:y"),
        "once.store.cache: 'sqlite:y' (expected: redis://HOST, rediss://HOST,"
            + " redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS)",
        "Change the value");
  }

  @Test
  void a_cache_in_front_of_no_database(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.cache", "redis://localhost:1"),
        "once.store.cache: in front of the memory store (expected: a store that is a database, such"
            + " as postgresql://HOST/DATABASE)",
        "choose the store that goes with it");
  }

  @Test
  void a_fallback_that_is_no_database(CapturedOutput output) {
    assertFails(
        output,
        plain()
            .with("once.store.url", "redis://localhost:1")
            .with("once.store.fallback", "redis://:s3cret@localhost:1"),
        "once.store.fallback: 'redis://****@localhost:1' (expected: sqlite:FILE,"
            + " postgresql://HOST/DATABASE or mariadb://HOST/DATABASE)",
        "Change the value");
  }

  @Test
  void a_fallback_behind_no_redis(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.fallback", "sqlite:x"),
        "once.store.fallback: behind the memory store (expected: a store that is a Redis, such as"
            + " redis://HOST)",
        "choose the store that goes with it");
  }

  @Test
  void a_cache_and_a_fallback(CapturedOutput output) {
    assertFails(
        output,
        plain()
            .with("once.store.url", "redis://localhost:1")
            .with("once.store.cache", "redis://localhost:1")
            .with("once.store.fallback", "sqlite:x"),
        "once.store.cache: together with fallback (expected: one of them)",
        "Remove it");
  }

  @Test
  void a_fallback_that_is_not_there(CapturedOutput output) {
    assertFails(
        output,
        plain()
            .with("once.store.url", "redis://localhost:1")
            .with("once.store.fallback", "postgresql://ann:s3cret@localhost:1/once"),
        "Keys cannot be kept in postgresql://****@localhost:1/once, with the redis store in front: ",
        "See that it is there and answers");
    assertThat(output.getAll()).doesNotContain("s3cret");
  }

  @Test
  void a_store_that_is_not_there_and_its_password_is_not_told(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.url", "redis://ann:s3cret@localhost:1"),
        "Keys cannot be kept in the redis store: ",
        "See that it is there and answers");
    assertThat(output.getAll()).doesNotContain("s3cret");
  }

  @Test
  void a_file_in_a_folder_that_is_not_there(@TempDir Path folder, CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.url", "sqlite:" + folder.resolve("none/keys.db")),
        "Keys cannot be kept in the sqlite store: ",
        "See that it is there and answers");
  }

  static class Fails {
    Fails() {
      throw new IllegalStateException("fails on its own");
    }
  }

  @Test
  void a_bean_that_fails_while_the_file_is_opened_leaves_no_open_store(
      @TempDir Path folder, CapturedOutput output) {
    Set<Thread> before = lanes();
    Application application =
        Application.of(Fails.class).with("once.store.url", "sqlite:" + folder.resolve("keys.db"));
    assertThatThrownBy(application::start).hasStackTraceContaining("fails on its own");
    assertThat(folder.resolve("keys.db")).as("it was opened").exists();
    assertThat(lanes()).isEqualTo(before);
  }

  private static Set<Thread> lanes() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("once-sqlite-lane"))
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"keys", "/keys/{id}", "/keys/*", "/keys?a", "/keys#a", "//keys"})
  void a_path_of_the_policy_page_that_is_none(String path, CapturedOutput output) {
    assertFails(
        output,
        Application.of().with("once.policy-page.path", path),
        "once.policy-page.path: '" + path + "' (expected: such as /docs/idempotency)",
        "a path within the application");
  }

  @Test
  void two_stores_at_once(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.kind", "embedded"),
        "once.store.url and once.store.kind are both set (expected: one of them)",
        "Remove one of them");
  }

  @Test
  void redis_without_a_connection_factory(CapturedOutput output) {
    assertFails(
        output,
        plain().with("once.store.url", null).with("once.store.kind", "redis"),
        "once.store.kind: redis, but there is no connection factory of Lettuce (expected: one)",
        "spring-boot-starter-data-redis");
  }

  @Configuration
  static class TwoDataSources {
    @Bean
    DataSource orders() {
      return new DriverManagerDataSource("jdbc:postgresql://localhost:1/orders");
    }

    @Bean
    DataSource stock() {
      return new DriverManagerDataSource("jdbc:postgresql://localhost:1/stock");
    }
  }

  @Test
  void two_data_sources_of_which_none_is_primary(CapturedOutput output) {
    assertFails(
        output,
        plain(TwoDataSources.class).with("once.store.url", null),
        "There are several DataSources, and none is primary: [orders, stock]",
        "Set once.store.data-source to the name of one");
  }

  @Test
  void a_data_source_that_is_not_there(CapturedOutput output) {
    assertFails(
        output,
        plain(TwoDataSources.class)
            .with("once.store.url", null)
            .with("once.store.data-source", "stocks"),
        "once.store.data-source: stocks (expected: one of [orders, stock])",
        "Name a DataSource that is there");
  }

  // Annotations.

  static class NoKey {
    @Idempotent
    public int run(String id) {
      return 1;
    }
  }

  @Test
  void a_bean_method_without_a_key(CapturedOutput output) {
    assertFails(
        output,
        plain(NoKey.class),
        "@Idempotent on dev.once.spring.StartFailureTest$NoKey.run: no key (expected: one in SpEL",
        "make one of the arguments");
  }

  static class BadKey {
    @Idempotent(key = "#id +")
    public int run(String id) {
      return 1;
    }
  }

  @Test
  void a_key_that_is_not_spel(CapturedOutput output) {
    assertFails(
        output,
        plain(BadKey.class),
        "@Idempotent on dev.once.spring.StartFailureTest$BadKey.run: '#id +' is not SpEL",
        "Write such as");
  }

  static class UnknownProfile {
    @Idempotent(key = "#id", profile = "nope")
    public int run(String id) {
      return 1;
    }
  }

  @Test
  void an_annotation_with_an_unknown_profile(CapturedOutput output) {
    assertFails(
        output,
        plain(UnknownProfile.class),
        "@Idempotent on dev.once.spring.StartFailureTest$UnknownProfile.run: profile: nope",
        "Change the annotation's value");
  }

  static class FinalMethod {
    @Idempotent(key = "#id")
    public final int run(String id) {
      return 1;
    }
  }

  @Test
  void a_final_method(CapturedOutput output) {
    assertFails(
        output,
        plain(FinalMethod.class),
        "@Idempotent on dev.once.spring.StartFailureTest$FinalMethod.run: it is public final",
        "Make it neither private nor static nor final");
  }

  static class WithStream {
    @Idempotent(key = "#id")
    public int run(String id, InputStream data) {
      return 1;
    }
  }

  @Test
  void an_argument_that_cannot_be_part_of_the_fingerprint(CapturedOutput output) {
    assertFails(
        output,
        plain(WithStream.class),
        "@Idempotent on dev.once.spring.StartFailureTest$WithStream.run: its argument data,"
            + " java.io.InputStream, cannot be part of the fingerprint",
        "fingerprint =");
  }

  static class WithIterator {
    @Idempotent(key = "#id")
    public int run(String id, Iterator<String> lines) {
      return 1;
    }
  }

  static class WithFuture {
    @Idempotent(key = "#id")
    public int run(String id, CompletableFuture<String> later) {
      return 1;
    }
  }

  @Test
  void an_argument_that_would_be_used_up_or_is_not_there_yet(CapturedOutput output) {
    assertFails(
        output,
        plain(WithIterator.class),
        "@Idempotent on dev.once.spring.StartFailureTest$WithIterator.run: its argument lines,"
            + " java.util.Iterator, cannot be part of the fingerprint",
        "fingerprint =");
    assertFails(
        output,
        plain(WithFuture.class),
        "@Idempotent on dev.once.spring.StartFailureTest$WithFuture.run: its argument later,"
            + " java.util.concurrent.CompletableFuture, cannot be part of the fingerprint",
        "fingerprint =");
  }

  interface Shape {
    int size();
  }

  static class NoConstructor {
    private final int secret;

    NoConstructor(int secret, String other) {
      this.secret = secret + other.length();
    }

    NoConstructor(String other, int secret) {
      this(secret, other);
    }

    public int getSecret() {
      return secret;
    }
  }

  record Nested(List<NoConstructor> parts) {}

  static class ReturnsInputStream {
    @Idempotent(key = "#id")
    public InputStream run(String id) {
      return InputStream.nullInputStream();
    }
  }

  static class ReturnsStream {
    @Idempotent(key = "#id")
    public Stream<String> run(String id) {
      return Stream.of();
    }
  }

  static class ReturnsInterface {
    @Idempotent(key = "#id")
    public Shape run(String id) {
      return () -> 1;
    }
  }

  static class ReturnsNoConstructor {
    @Idempotent(key = "#id")
    public CompletableFuture<NoConstructor> run(String id) {
      return CompletableFuture.completedFuture(new NoConstructor(1, ""));
    }
  }

  static class ReturnsNested {
    @Idempotent(key = "#id")
    public Nested run(String id) {
      return new Nested(List.of());
    }
  }

  /** Written as "name" and read by nobody: it would come back null. */
  public static class Renamed {
    private final String n = "ann";
    private int age;

    public String getName() {
      return n;
    }

    public int getAge() {
      return age;
    }

    public void setAge(int age) {
      this.age = age;
    }
  }

  static class ReturnsRenamed {
    @Idempotent(key = "#id")
    public List<Renamed> run(String id) {
      return List.of();
    }
  }

  static class ReturnsObject {
    @Idempotent(key = "#id")
    public Object run(String id) {
      return id;
    }
  }

  static class ReturnsFuture {
    @Idempotent(key = "#id")
    public Future<String> run(String id) {
      return CompletableFuture.completedFuture(id);
    }
  }

  static class ReturnsUnknown {
    @Idempotent(key = "#id")
    public <T> List<T> run(String id) {
      return List.of();
    }
  }

  static class ReturnsEmitter {
    @Idempotent(key = "#id")
    public org.springframework.web.servlet.mvc.method.annotation.SseEmitter run(String id) {
      return new org.springframework.web.servlet.mvc.method.annotation.SseEmitter();
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        ReturnsInputStream.class,
        ReturnsStream.class,
        ReturnsInterface.class,
        ReturnsNoConstructor.class,
        ReturnsNested.class,
        ReturnsRenamed.class,
        ReturnsObject.class,
        ReturnsFuture.class,
        ReturnsUnknown.class,
        ReturnsEmitter.class
      })
  void a_result_that_cannot_be_recorded(Class<?> bean, CapturedOutput output) {
    assertFails(
        output,
        plain(bean),
        "@Idempotent on " + bean.getName() + ".run: its result, ",
        "Return a class or record that Jackson can write and read, or void.");
    assertThat(output.getAll()).contains("cannot be recorded as JSON and read again");
  }

  /** What is computed of what is read comes back too. */
  public static class Computed {
    private int net;

    public int getNet() {
      return net;
    }

    public void setNet(int net) {
      this.net = net;
    }

    public int getGross() {
      return net + 1;
    }
  }

  record Price(int net) {
    public int getGross() {
      return net + 1;
    }
  }

  static class ReturnsComputed {
    @Idempotent(key = "#id")
    public Computed run(String id) {
      Computed computed = new Computed();
      computed.setNet(1);
      return computed;
    }

    @Idempotent(key = "#id", name = "price")
    public Price price(String id) {
      return new Price(1);
    }
  }

  @Test
  void a_result_with_a_getter_that_computes_is_none_of_them() {
    try (ConfigurableApplicationContext context = plain(ReturnsComputed.class).start()) {
      ReturnsComputed bean = context.getBean(ReturnsComputed.class);
      bean.run("a");
      assertThat(bean.run("a").getGross()).isEqualTo(2);
      assertThat(bean.price("a")).isEqualTo(bean.price("a"));
    }
  }

  @RestController
  static class KeyOnHandler {
    @PostMapping("/a")
    @Idempotent(key = "#id")
    String post(String id) {
      return id;
    }
  }

  @Test
  void a_key_on_a_handler(CapturedOutput output) {
    assertFails(
        output,
        Application.of(KeyOnHandler.class),
        "@Idempotent on the handler dev.once.spring.StartFailureTest$KeyOnHandler.post: it has a key",
        "The key of a request is its header's");
  }

  @RestController
  static class OnGet {
    @GetMapping("/a")
    @Idempotent
    String get() {
      return "";
    }
  }

  @Test
  void an_annotation_on_a_safe_method(CapturedOutput output) {
    assertFails(
        output,
        Application.of(OnGet.class),
        "@Idempotent on the handler dev.once.spring.StartFailureTest$OnGet.get: it is for GET only",
        "Remove the annotation");
  }

  @RestController
  static class OnPost {
    @PostMapping("/a")
    @Idempotent
    String post() {
      return "";
    }
  }

  @Test
  void an_annotation_without_the_filter(CapturedOutput output) {
    assertFails(
        output,
        Application.of(OnPost.class).with("once.filter.enabled", "false"),
        "once.filter.enabled: false, but @Idempotent is on the handler"
            + " dev.once.spring.StartFailureTest$OnPost.post",
        "without the filter it does nothing");
  }

  static class InTransaction {
    @Idempotent(key = "#id", sameTransaction = true)
    public int run(String id) {
      return 1;
    }
  }

  @Test
  void the_same_transaction_with_keys_elsewhere(CapturedOutput output) {
    assertFails(
        output,
        plain(InTransaction.class),
        "Same-transaction mode is asked for, but once.store.url puts the keys elsewhere",
        "keys and writes can commit together only in one database");
  }

  @Test
  void the_same_transaction_without_a_data_source(CapturedOutput output) {
    assertFails(
        output,
        plain(InTransaction.class)
            .with("once.store.kind", "data-source")
            .with("once.store.url", null),
        "There is no DataSource (expected: one, to keep keys in)",
        "spring.datasource.url");
  }
}
