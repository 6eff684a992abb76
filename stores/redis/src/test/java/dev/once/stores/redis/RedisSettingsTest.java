package dev.once.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.StoreUrlException;
import dev.once.stores.redis.RedisSettings.Node;
import dev.once.stores.redis.RedisSettings.Topology;
import dev.once.stores.redis.RedisSettings.Verify;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How URLs are read. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RedisSettingsTest {

  @Test
  void a_plain_url_has_sensible_values() {
    RedisSettings settings = RedisSettings.parse("redis://cache");

    assertThat(settings).isEqualTo(RedisSettings.of("cache", 6379));
    assertThat(settings.tls()).isFalse();
    assertThat(settings.prefix()).isEqualTo("once:");
  }

  @Test
  void every_part_of_a_url_is_read() {
    RedisSettings settings =
        RedisSettings.parse(
            "rediss://me:p%40ss+@[::1]:7000/3?timeout=500ms&connect-timeout=2s&prefix=shop:"
                + "&replicas=2&replicas-timeout=100ms&allow-eviction=volatile-ttl&verify=ca"
                + "&compress-from=256&max-queued=7");

    assertThat(settings.nodes()).containsExactly(new Node("::1", 7000));
    assertThat(settings.username()).isEqualTo("me");
    assertThat(settings.password()).isEqualTo("p@ss+");
    assertThat(settings.database()).isEqualTo(3);
    assertThat(settings.tls()).isTrue();
    assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.prefix()).isEqualTo("shop:");
    assertThat(settings.replicas()).isEqualTo(2);
    assertThat(settings.replicasTimeout()).isEqualTo(Duration.ofMillis(100));
    assertThat(settings.allowEviction()).isEqualTo("volatile-ttl");
    assertThat(settings.verify()).isEqualTo(Verify.CA);
    assertThat(settings.compressFrom()).isEqualTo(256);
    assertThat(settings.maxQueued()).isEqualTo(7);
    assertThat(settings.toString()).isEqualTo("rediss://me:***@[::1]:7000/3");
  }

  @Test
  void sentinels_and_clusters_have_several_hosts() {
    RedisSettings sentinels =
        RedisSettings.parse(
            "redis-sentinel://:pw@s1,s2:5000/1?sentinel-password=x&timeout=1s#payments");
    assertThat(sentinels.topology()).isEqualTo(Topology.SENTINEL);
    assertThat(sentinels.nodes()).containsExactly(new Node("s1", 26379), new Node("s2", 5000));
    assertThat(sentinels.sentinelMaster()).isEqualTo("payments");
    assertThat(sentinels.sentinelPassword()).isEqualTo("x");
    assertThat(sentinels.password()).isEqualTo("pw");

    RedisSettings cluster = RedisSettings.parse("rediss-cluster://a:1,b:2");
    assertThat(cluster.topology()).isEqualTo(Topology.CLUSTER);
    assertThat(cluster.tls()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://host                              | URL
          redis:host                               | URL
          redis://                                 | URL
          redis://host:none                        | port
          redis://host:70000                       | port
          redis://a:1,b:2                          | hosts
          redis://host/x                           | database
          redis-cluster://host/1                   | database
          redis-sentinel://host                    | master
          redis://host#name                        | master
          redis://host?timeout=soon                | timeout
          redis://host?timeout=0ms                 | timeout
          redis://host?replicas=1&replicas-timeout=9s | replicas-timeout
          redis://host?replicas=-1                 | replicas
          redis://host?colour=red                  | option
          redis://host?verify=maybe                | verify
          redis://host?ca=/no/such/file            | ca
          redis://host?allow-eviction=noeviction   | allow-eviction
          redis://host?prefix=                     | prefix
          redis://host?compress-from=-1            | compress-from
          redis://host?max-queued=0                | max-queued
          redis://u:%zz@host                       | %25
          redis://u:hunter2/x@host                 | %2F
          ftp://u:hunter2@host                     | URL
          """)
  void a_bad_url_is_one_clear_error_without_the_password(String url, String names) {
    assertThatThrownBy(() -> RedisSettings.parse(url))
        .isInstanceOf(StoreUrlException.class)
        .hasMessageStartingWith("redis: ")
        .hasMessageContaining(names)
        .hasMessageContaining("expected: ")
        .hasMessageNotContaining("hunter2");
  }
}
