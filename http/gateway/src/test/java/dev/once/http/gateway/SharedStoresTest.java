package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.Stores;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SharedStoresTest extends GatewayFixture {

  @Test
  void two_gateways_on_one_database_replay_what_either_recorded() throws Exception {
    String database = migrated(PostgresServer.shared().newDatabase());
    start(setup -> setup.store = database);
    assertFirst(pay("/p", "k-1"), 201);
    start(setup -> setup.store = database);
    assertReplayed(pay("/p", "k-1"), 201);
    assertThat(ready()).isEqualTo(200);
  }

  @Test
  void a_database_without_tables_is_refused_with_what_to_do() {
    for (String database :
        new String[] {
          PostgresServer.shared().newDatabase(), MariaDbServer.shared().newDatabase()
        }) {
      assertThatThrownBy(() -> start(setup -> setup.store = database))
          .isInstanceOf(GatewayException.class)
          .hasMessageStartingWith("store: " + Stores.masked(database) + ": ")
          .hasMessageContaining("the tables of Once are missing")
          .hasMessageContaining("./once store migrate URL")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void a_server_that_does_not_answer_is_told_without_the_password() {
    assertThatThrownBy(
            () -> start(setup -> setup.store = "redis://:secret@127.0.0.1:1?connect-timeout=1s"))
        .isInstanceOf(GatewayException.class)
        .hasMessageStartingWith("store: redis://****@127.0.0.1:1")
        .message()
        .doesNotContain("secret")
        .doesNotContain("\n");
  }

  @Test
  void a_gateway_whose_redis_is_gone_is_not_ready() throws Exception {
    RedisServer redis = closing(RedisServer.start());
    start(setup -> setup.store = redis.url());
    assertFirst(pay("/p", "k-1"), 201);
    assertReplayed(pay("/p", "k-1"), 201);
    assertThat(ready()).isEqualTo(200);
    redis.kill();
    eventually(() -> ready() == 503);
  }

  @Test
  void without_its_redis_the_fallback_answers_and_is_counted() throws Exception {
    RedisServer redis = closing(RedisServer.start());
    String database = migrated(MariaDbServer.shared().newDatabase());
    start(
        setup -> {
          setup.store = redis.url();
          setup.fallback = database;
        });
    assertFirst(pay("/p", "k-1"), 201);
    assertReplayed(pay("/p", "k-1"), 201);
    redis.kill();
    assertReplayed(pay("/p", "k-1"), 201);
    assertFirst(pay("/p", "k-2"), 201);
    assertThat(fallbacks()).isPositive();
    assertThat(ready()).isEqualTo(200);
  }

  @Test
  void a_cache_that_is_not_there_costs_nothing_but_speed() throws Exception {
    RedisServer redis = closing(RedisServer.start());
    redis.kill();
    start(
        setup -> {
          setup.store = sqlite();
          setup.cache = redis.url();
        });
    assertFirst(pay("/p", "k-1"), 201);
    assertReplayed(pay("/p", "k-1"), 201);
    assertThat(fallbacks()).isPositive();
  }

  private static String migrated(String url) {
    assertThat(Stores.migrate(Stores.parse(url))).startsWith("created the tables");
    return url;
  }

  private int ready() {
    try {
      return send(HttpRequest.newBuilder(admin("/health/ready"))).statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private double fallbacks() throws Exception {
    return send(HttpRequest.newBuilder(admin("/metrics")))
        .body()
        .lines()
        .filter(line -> line.startsWith("idempotency_fallback_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }
}
