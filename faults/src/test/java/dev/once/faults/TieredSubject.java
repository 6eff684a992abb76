package dev.once.faults;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.Set;

/** PostgreSQL with Redis in front of it. The faults happen to Redis; a URL names both. */
final class TieredSubject implements Subject {

  private final String form;
  private final DatabaseSubject database = new DatabaseSubject(PostgresServer.start());

  /** It keeps nothing on disk: when it is killed it comes back empty, which is the worst case. */
  private final RedisSubject redis = new RedisSubject("appendonly no", "save \"\"");

  /**
   * @param form {@code cached} or {@code fallback}
   */
  TieredSubject(String form) {
    this.form = form;
  }

  Subject database() {
    return database;
  }

  @Override
  public boolean failsClients() {
    return false;
  }

  /** A cache that could not be told of an end or of a release says for a while what was before. */
  @Override
  public Set<Rule> notPromised() {
    return form.equals("fallback")
        ? Set.of(Rule.BUSY_ENDS, Rule.RELEASED_IS_GONE)
        : Set.of(Rule.RELEASED_IS_GONE);
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
    return redis.proxy();
  }

  @Override
  public String throughProxy(String url) {
    String databaseUrl = databaseUrl(url);
    String redisUrl = url.substring(url.indexOf('|') + 1);
    return url(databaseUrl, redis.throughProxy(redisUrl));
  }

  private static String databaseUrl(String url) {
    return url.substring(url.indexOf(':') + 1, url.indexOf('|'));
  }

  @Override
  public void kill() {
    redis.kill();
  }

  @Override
  public void restart() {
    redis.restart();
  }

  @Override
  public void pause() {
    redis.pause();
  }

  @Override
  public void resume() {
    redis.resume();
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
