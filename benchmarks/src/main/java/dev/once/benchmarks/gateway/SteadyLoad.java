package dev.once.benchmarks.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * 2,000 keyed first requests a second through a gateway with a heap of 128 MB, for some minutes. It
 * prints each minute what was answered, and how much of the heap is in use after a collection: that
 * must not grow.
 */
public final class SteadyLoad {

  private static final int MINUTES = Integer.getInteger("minutes", 10);
  private static final int PER_SECOND = 2_000;
  private static final int TICK_MILLIS = 10;
  private static final int ECHO = 18_920;
  private static final int GATEWAY = 18_921;
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  private SteadyLoad() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("once-gateway-steady");
    Process echo = Servers.bare("echo", ECHO).start();
    Process gateway =
        Servers.gateway(List.of("-Xmx128m"), GATEWAY, ECHO, "sqlite:" + folder.resolve("steady.db"))
            .start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  gateway.destroyForcibly();
                  echo.destroyForcibly();
                }));
    Servers.awaitPort(ECHO);
    Servers.awaitPort(GATEWAY);
    AtomicLong good = new AtomicLong();
    AtomicLong bad = new AtomicLong();
    start(good, bad);
    for (int minute = 1; minute <= MINUTES; minute++) {
      long before = good.get();
      Thread.sleep(60_000);
      System.out.printf(
          "minute %d: %d answered per s, %d failed in all, heap after collection %d KB, resident %s%n",
          minute,
          (good.get() - before) / 60,
          bad.get(),
          heapAfterCollection(gateway.pid()),
          resident(gateway.pid()));
    }
    System.exit(0);
  }

  private static void start(AtomicLong good, AtomicLong bad) {
    Vertx vertx = Vertx.vertx();
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions().setDefaultPort(GATEWAY).setDefaultHost("127.0.0.1"),
            new PoolOptions().setHttp1MaxSize(32));
    Buffer body = Buffer.buffer("{\"amount\":1000,\"note\":\"" + "x".repeat(470) + "\"}");
    vertx.setPeriodic(
        TICK_MILLIS,
        any -> {
          for (int i = 0; i < PER_SECOND * TICK_MILLIS / 1000; i++) {
            client
                .request(HttpMethod.POST, "/payments")
                .compose(
                    request ->
                        request
                            .putHeader("Content-Type", "application/json")
                            .putHeader("Idempotency-Key", UUID.randomUUID().toString())
                            .send(body))
                .compose(response -> response.body().map(whole -> response.statusCode()))
                .onComplete(
                    status ->
                        (status.succeeded() && status.result() == 201 ? good : bad)
                            .incrementAndGet());
          }
        });
  }

  private static long heapAfterCollection(long pid) throws IOException, InterruptedException {
    jcmd(pid, "GC.run");
    Matcher used = USED.matcher(jcmd(pid, "GC.heap_info"));
    if (!used.find()) {
      throw new IOException("jcmd GC.heap_info: no size (expected: used ...K)");
    }
    return Long.parseLong(used.group(1));
  }

  private static String jcmd(long pid, String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(pid),
                command)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  private static String resident(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")).stream()
        .filter(line -> line.startsWith("VmRSS"))
        .findFirst()
        .orElse("unknown")
        .replaceAll("\\s+", " ");
  }
}
