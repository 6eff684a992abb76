package dev.once.faults;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.PostgresServer;
import java.time.Duration;

/**
 * PostgreSQL with Redis in front of it. One of the two is the one that faults happen to, the
 * victim; a URL names both.
 */
final class TieredSubject implements Subject {

  /** Which of the two the faults happen to. */
  enum Victim {
    REDIS,
    DATABASE
  }

  private final String form;
  private final Victim victim;
  private final DatabaseSubject database = new DatabaseSubject(PostgresServer.start());

  /** It keeps nothing on disk: when it is killed it comes back empty, which is the worst case. */
  private final RedisSubject redis = new RedisSubject("appendonly no", "save \"\"");

  /**
   * @param form {@code cached} or {@code fallback}
   */
  TieredSubject(String form, Victim victim) {
    this.form = form;
    this.victim = victim;
  }

  private Subject faulty() {
    return victim == Victim.REDIS ? redis : database;
  }

  @Override
  public boolean failsClients() {
    return victim == Victim.DATABASE;
  }

  @Override
  public String newStore() {
    return url(database.newStore(), redis.newStore());
  }

  private String url(String databaseUrl, String redisUrl) {
    return form + ":" + databaseUrl + "|" + redisUrl;
  }

  @Override
  public FaultProxy proxy() {
    return faulty().proxy();
  }

  @Override
  public String throughProxy(String url) {
    String databaseUrl = databaseUrl(url);
    String redisUrl = url.substring(url.indexOf('|') + 1);
    return victim == Victim.REDIS
        ? url(databaseUrl, redis.throughProxy(redisUrl))
        : url(database.throughProxy(databaseUrl), redisUrl);
  }

  private static String databaseUrl(String url) {
    return url.substring(url.indexOf(':') + 1, url.indexOf('|'));
  }

  @Override
  public void kill() {
    faulty().kill();
  }

  @Override
  public void restart() {
    faulty().restart();
  }

  @Override
  public void pause() {
    faulty().pause();
  }

  @Override
  public void resume() {
    faulty().resume();
  }

  /** Of the database: the cache's clock judges nothing but how long it keeps what it has. */
  @Override
  public void moveClock(String url, Duration by) {
    database.moveClock(databaseUrl(url), by);
  }

  @Override
  public void close() {
    redis.close();
    database.close();
  }
}
