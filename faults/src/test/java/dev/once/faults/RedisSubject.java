package dev.once.faults;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A Redis that has written to disk what it has replied to. */
final class RedisSubject implements Subject {

  /** Makes every record older, in one step: the same as to set the server's clock forward. */
  private static final String OLDER =
      """
      local by = tonumber(ARGV[1])
      for _, key in ipairs(redis.call('KEYS', '*')) do
        local state = redis.call('HGET', key, 'state')
        local head, requested, ends, expires, rest =
            string.match(state, '^(1 %a %d+ %d+ %S+) (%d+) (%d+) (%d+)(.*)$')
        expires = string.format('%.0f', expires - by)
        redis.call('HSET', key, 'state', string.format(
            '%s %.0f %.0f %s', head, requested - by, ends - by, expires) .. rest)
        redis.call('PEXPIREAT', key, expires)
      end
      return 1
      """;

  private final RedisServer server;
  private final FaultProxy proxy;

  RedisSubject(String... settings) {
    try {
      server = RedisServer.start(settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    proxy = FaultProxy.to(server.port());
  }

  @Override
  public String newStore() {
    command("FLUSHALL");
    return server.url();
  }

  private void command(String... words) {
    try {
      String reply = server.command(words);
      if (reply.startsWith("-")) {
        throw new IllegalStateException(words[0] + ": " + reply);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FaultProxy proxy() {
    return proxy;
  }

  @Override
  public String throughProxy(String url) {
    return proxy.url(url);
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void restart() {
    try {
      server.restart();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void pause() {
    server.pause();
  }

  @Override
  public void resume() {
    server.resume();
  }

  @Override
  public void moveClock(String url, Duration by) {
    command("EVAL", OLDER, "0", "" + by.toMillis());
  }

  @Override
  public void close() {
    proxy.close();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
