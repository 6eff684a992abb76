package dev.once.stores.redis;

import dev.once.stores.redis.RedisSettings.Verify;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings in the making: see {@link RedisSettings#with}. */
public final class RedisSettingsBuilder {

  private final RedisSettings from;
  private String sentinelUsername;
  private String sentinelPassword;
  private String username;
  private String password;
  private int database;
  private boolean tls;
  private Verify verify;
  private @Nullable Path caFile;
  private Duration timeout;
  private Duration connectTimeout;
  private String prefix;
  private int replicas;
  private Duration replicasTimeout;
  private String allowEviction;
  private int compressFrom;
  private int maxQueued;

  RedisSettingsBuilder(RedisSettings from) {
    this.from = from;
    sentinelUsername = from.sentinelUsername();
    sentinelPassword = from.sentinelPassword();
    username = from.username();
    password = from.password();
    database = from.database();
    tls = from.tls();
    verify = from.verify();
    caFile = from.caFile();
    timeout = from.timeout();
    connectTimeout = from.connectTimeout();
    prefix = from.prefix();
    replicas = from.replicas();
    replicasTimeout = from.replicasTimeout();
    allowEviction = from.allowEviction();
    compressFrom = from.compressFrom();
    maxQueued = from.maxQueued();
  }

  /** Who asks the sentinels, where they want a password of their own. */
  public RedisSettingsBuilder sentinelUser(String name, String secret) {
    sentinelUsername = name;
    sentinelPassword = secret;
    return this;
  }

  /** Who asks; the name is empty for the default user. */
  public RedisSettingsBuilder user(String name, String secret) {
    username = name;
    password = secret;
    return this;
  }

  public RedisSettingsBuilder database(int value) {
    database = value;
    return this;
  }

  public RedisSettingsBuilder tls(boolean value) {
    tls = value;
    return this;
  }

  public RedisSettingsBuilder verify(Verify value) {
    verify = value;
    return this;
  }

  public RedisSettingsBuilder caFile(@Nullable Path value) {
    caFile = value;
    return this;
  }

  public RedisSettingsBuilder timeout(Duration value) {
    timeout = value;
    return this;
  }

  public RedisSettingsBuilder connectTimeout(Duration value) {
    connectTimeout = value;
    return this;
  }

  public RedisSettingsBuilder prefix(String value) {
    prefix = value;
    return this;
  }

  public RedisSettingsBuilder replicas(int value) {
    replicas = value;
    return this;
  }

  public RedisSettingsBuilder replicasTimeout(Duration value) {
    replicasTimeout = value;
    return this;
  }

  public RedisSettingsBuilder allowEviction(String value) {
    allowEviction = value;
    return this;
  }

  public RedisSettingsBuilder compressFrom(int bytes) {
    compressFrom = bytes;
    return this;
  }

  public RedisSettingsBuilder maxQueued(int value) {
    maxQueued = value;
    return this;
  }

  RedisSettings build() {
    return new RedisSettings(
        from.topology(),
        from.nodes(),
        from.sentinelMaster(),
        sentinelUsername,
        sentinelPassword,
        username,
        password,
        database,
        tls,
        verify,
        caFile,
        timeout,
        connectTimeout,
        prefix,
        replicas,
        replicasTimeout,
        allowEviction,
        compressFrom,
        maxQueued);
  }
}
