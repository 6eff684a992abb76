package dev.once.benchmarks.soak;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients that keep the rules: payments with a key each, some sent three times at once and some
 * again later, and reads without a key. A third talks HTTP/2. Whatever is not the answer is tried
 * again with the same key, until the answer is there. All on one event loop.
 *
 * <p>The answer to a payment is known beforehand: it names the key, the caller, and that it is the
 * first execution. Anything else was somebody else's, or ran twice.
 */
final class HonestClients {

  private static final int CALLERS = 8;
  private static final int TICK_MILLIS = 20;
  private static final int MAX_WAITING = 1_000;
  private static final long TIMEOUT_SECONDS = 30;
  private static final long LOST = -1;
  private static final String REPLAYED = "Idempotent-Replayed";

  private final Vertx vertx;
  private final Context context;
  private final List<HttpClient> clients;
  private final Findings findings;
  private final String series = UUID.randomUUID().toString().substring(0, 8);
  private final BitSet answered = new BitSet();
  private Period period = new Period("");
  private @Nullable Long timer;
  private volatile int payments;
  private volatile boolean over;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile long lastAnswer = System.nanoTime();
  private volatile long lastReply = System.nanoTime();

  HonestClients(Vertx vertx, int port, Findings findings) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.findings = findings;
    HttpClientOptions options =
        new HttpClientOptions()
            .setDefaultHost("127.0.0.1")
            .setDefaultPort(port)
            .setConnectTimeout(5_000)
            .setKeepAliveTimeout(3);
    HttpClientOptions http2 =
        new HttpClientOptions(options)
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false);
    PoolOptions pool =
        new PoolOptions().setHttp1MaxSize(32).setHttp2MaxSize(2).setMaxWaitQueueSize(5_000);
    HttpClient http1 = vertx.createHttpClient(options, pool);
    clients = List.of(http1, http1, vertx.createHttpClient(http2, pool));
  }

  static String answer(String key, String authorization, int run) {
    return "key=" + key + " caller=" + authorization + " run=" + run;
  }

  static String item(String number) {
    return "item " + number;
  }

  /** From now on so many payments a second, and half as many reads. */
  void begin(Period next, int perSecond) {
    context.runOnContext(
        any -> {
          stop();
          period = next;
          lastAnswer = System.nanoTime();
          int[] due = {0};
          timer =
              vertx.setPeriodic(
                  TICK_MILLIS,
                  tick -> {
                    for (due[0] += perSecond * TICK_MILLIS; due[0] >= 1_000; due[0] -= 1_000) {
                      tick();
                    }
                  });
        });
  }

  /** No new ones; those that wait are tried on. */
  void end() {
    context.runOnContext(any -> stop());
  }

  /** Sends nothing more, not even the duplicates that were planned. */
  void close() {
    over = true;
    end();
  }

  private void stop() {
    if (timer != null) {
      vertx.cancelTimer(timer);
      timer = null;
    }
  }

  private void tick() {
    if (waiting.get() >= MAX_WAITING) {
      period.notBegun.incrementAndGet();
      return;
    }
    int number = payments;
    payments = number + 1;
    waiting.incrementAndGet();
    period.sent.incrementAndGet();
    pay(number, System.nanoTime());
    if (number % 10 == 0) {
      again(number, 0);
      again(number, 0);
    }
    if (number % 3 == 0) {
      again(number, 1_000 + ThreadLocalRandom.current().nextInt(20_000));
    }
    if (number % 2 == 0) {
      read(number);
    }
  }

  String key(int number) {
    return "honest-" + series + "-" + number;
  }

  int payments() {
    return payments;
  }

  /** Payments that have no answer yet. */
  int waiting() {
    return waiting.get();
  }

  /** How long nobody has had an answer. */
  long silenceMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastAnswer);
  }

  /** How long nobody has had any reply, not even "not now". */
  long deadMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastReply);
  }

  /** A payment, until it has its answer. */
  private void pay(int number, long begun) {
    if (over) {
      return;
    }
    Period of = period;
    send(number)
        .onComplete(
            (got, failure) -> {
              long pause = judge(number, got, failure, of, false);
              if (pause > 0) {
                vertx.setTimer(pause, any -> pay(number, begun));
              } else if (pause == LOST) {
                waiting.decrementAndGet();
              } else {
                waiting.decrementAndGet();
                of.answered.incrementAndGet();
                of.latencies.add(System.nanoTime() - begun);
              }
            });
  }

  /** A duplicate, sent once: what it gets must be right, or "not now". */
  private void again(int number, int later) {
    vertx.setTimer(
        Math.max(1, later),
        any -> {
          if (over) {
            return;
          }
          Period of = period;
          send(number).onComplete((got, failure) -> judge(number, got, failure, of, false));
        });
  }

  /** What a payment is answered at the end; null if as it must be. */
  Future<@Nullable String> atLast(int number) {
    Period of = new Period("");
    return Future.<Got>future(
            promise -> context.runOnContext(any -> send(number).onComplete(promise)))
        .transform(
            (got, failure) -> {
              long pause = judge(number, got, failure, of, true);
              return Future.succeededFuture(
                  pause == 0 ? null : got == null ? String.valueOf(failure) : got.toString());
            });
  }

  /** Milliseconds until it is tried again; 0 if it has its answer, or {@link #LOST}. */
  private long judge(
      int number, @Nullable Got got, @Nullable Throwable failure, Period of, boolean last) {
    if (got == null) {
      of.other("no answer: " + reason(failure));
      return 1_000;
    }
    lastReply = System.nanoTime();
    String expected = answer(key(number), caller(number), 1);
    if (got.status == 201 && got.body.equals(expected)) {
      if ((last || (answered.get(number) && !got.overlapped)) && !got.replayed) {
        findings.broken("an answer that was not the recorded one", key(number));
      }
      answered.set(number);
      lastAnswer = System.nanoTime();
      return 0;
    }
    if (got.status == 503 || got.status == 429) {
      of.other(got.status + (got.retryAfter == null ? " without Retry-After" : ""));
      return 1_000L * Math.min(5, Math.max(1, seconds(got.retryAfter)));
    }
    if (got.status == 409 && got.body.contains("#still-running")) {
      of.other(Period.STILL_RUNNING);
      return 500;
    }
    if (got.status == 502 || got.status == 504) {
      of.other(String.valueOf(got.status));
      return 1_000;
    }
    if (got.body.contains("#outcome-unknown")) {
      findings.broken("the outcome of an honest payment is not known", key(number) + ": " + got);
      return LOST;
    }
    findings.broken(
        got.body.contains(HostileAnswers.POISON) || got.body.startsWith("key=")
            ? "an honest client got another's answer"
            : "an honest client got a wrong answer",
        key(number) + ": " + got);
    return 2_000;
  }

  private Future<Got> send(int number) {
    boolean before = answered.get(number);
    return send(
        number,
        HttpMethod.POST,
        "/pay/" + number % 5,
        request ->
            request
                .putHeader("Idempotency-Key", key(number))
                .putHeader("Content-Type", "application/json")
                .send(Buffer.buffer("{\"amount\":" + number + "}")),
        !before);
  }

  private void read(int number) {
    Period of = period;
    of.sent.incrementAndGet();
    long begun = System.nanoTime();
    send(number, HttpMethod.GET, "/item/" + number, HttpClientRequest::send, false)
        .onComplete(
            (got, failure) -> {
              if (got == null) {
                of.other("no answer: " + reason(failure));
              } else if (got.status == 200 && got.body.equals(item(String.valueOf(number)))) {
                of.answered.incrementAndGet();
                of.latencies.add(System.nanoTime() - begun);
                lastAnswer = System.nanoTime();
              } else if (got.status >= 500 || got.status == 429) {
                of.other("read " + got.status);
              } else {
                findings.broken("a read got a wrong answer", "item " + number + ": " + got);
              }
            });
  }

  private Future<Got> send(
      int number,
      HttpMethod method,
      String path,
      Function<HttpClientRequest, Future<HttpClientResponse>> how,
      boolean overlapped) {
    return clients
        .get(number % clients.size())
        .request(method, path)
        .compose(
            request -> {
              request.putHeader("Authorization", caller(number));
              long end = vertx.setTimer(TIMEOUT_SECONDS * 1_000, any -> request.reset());
              return how.apply(request)
                  .compose(
                      response ->
                          response
                              .body()
                              .map(
                                  body ->
                                      new Got(
                                          response.statusCode(),
                                          body.toString(),
                                          response.getHeader(REPLAYED) != null,
                                          response.getHeader("Retry-After"),
                                          overlapped)))
                  .onComplete(any -> vertx.cancelTimer(end));
            })
        .timeout(TIMEOUT_SECONDS + 10, TimeUnit.SECONDS);
  }

  private static String caller(int number) {
    return "Bearer honest-" + number % CALLERS;
  }

  private static int seconds(@Nullable String retryAfter) {
    return retryAfter != null && retryAfter.matches("\\d{1,4}") ? Integer.parseInt(retryAfter) : 1;
  }

  private static String reason(@Nullable Throwable failure) {
    return failure == null ? "?" : failure.getClass().getSimpleName();
  }

  /**
   * What came.
   *
   * @param overlapped whether the payment had no answer yet when this was sent
   */
  private record Got(
      int status, String body, boolean replayed, @Nullable String retryAfter, boolean overlapped) {
    @Override
    public String toString() {
      return status + " " + body.substring(0, Math.min(200, body.length())).replaceAll("\\s+", " ");
    }
  }
}
