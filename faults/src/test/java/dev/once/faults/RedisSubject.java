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
      local function earlier(ms)
        return string.format('%013.0f', ms - ARGV[1])
      end
      for _, key in ipairs(redis.call('KEYS', '*')) do
        local state = redis.call('HGET', key, 'state')
        redis.call('HSET', key, 'state', string.sub(state, 1, 17) .. earlier(string.sub(state, 18, 30))
            .. earlier(string.sub(state, 31, 43)) .. string.sub(state, 44))
        redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1])
      end
      return 1
      """;

  private final RedisServer server;
  private final FaultProxy proxy;

  RedisSubject(String... settings) {
    this(started(settings));
  }

  RedisSubject(RedisServer server) {
    this.server = server;
    proxy = FaultProxy.to(server.port());
  }

  private static RedisServer started(String... settings) {
    try {
      return RedisServer.start(settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
