package dev.once.benchmarks.soak;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * All attacks at once on a gateway with a heap of 128 MB, for ten minutes, next to honest clients.
 * It ends with 1, and says why, if a promise was broken:
 *
 * <ol>
 *   <li>An honest client gets its own answer, the same every time, or "not now". No operation of
 *       its runs twice. It is never without any answer for a minute.
 *   <li>When the attackers are gone, all honest requests succeed, and every key ever used by an
 *       honest client has its answer.
 *   <li>After a lease no key is locked that nobody runs.
 *   <li>No request comes through that was hidden in another.
 *   <li>The process lives, and ends in time when it is told to.
 * </ol>
 */
public final class Soak {

  private static final int ATTACK_SECONDS =
      Integer.getInteger("seconds", 60 * Integer.getInteger("minutes", 10));
  private static final int QUIET_SECONDS = Integer.getInteger("quiet", 10);
  private static final int PER_SECOND = Integer.getInteger("rate", 100);
  private static final String LAUNCHER = System.getProperty("launcher", "once");

  /** Part of an attack's name, to run that alone. */
  private static final String ONLY = System.getProperty("only", "");

  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

  private final Findings findings = new Findings();
  private final Ledger ledger = new Ledger();
  private final AttackedKeys attackedKeys = new AttackedKeys();
  private final Vertx attackersLoop = oneLoop();
  private final List<Attack> attacks = new ArrayList<>();
  private final List<Period> periods = new ArrayList<>();
  private final Upstream upstream = new Upstream(oneLoop(), ledger);
  private final GatewayProcess gateway;
  private final Watcher watcher;
  private final HonestClients honest;
  private long longestSilence;

  private Soak(Path folder) throws Exception {
    gateway = GatewayProcess.start(LAUNCHER, upstream.port(), folder);
    Runtime.getRuntime().addShutdownHook(new Thread(gateway::kill));
    watcher = new Watcher(gateway);
    watcher.begin();
    honest = new HonestClients(oneLoop(), gateway.port(), findings);
    attacks.addAll(Http1Attacks.all(attackedKeys));
    attacks.addAll(Http2Attacks.all());
    attacks.removeIf(attack -> !attack.name.contains(ONLY));
  }

  /** Each part has a thread of its own, so that none holds up another. */
  private static Vertx oneLoop() {
    return Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory(Path.of("").toAbsolutePath(), "soak-");
    System.out.printf(
        "%d s, %d payments and %d reads a second; logs and files in %s%n",
        ATTACK_SECONDS, PER_SECOND, PER_SECOND / 2, folder);
    Soak soak = new Soak(folder);
    soak.run();
    System.exit(soak.findings.isEmpty() ? 0 : 1);
  }

  private void run() throws Exception {
    boolean alive = watch("before the attacks", QUIET_SECONDS);
    RecoveryChecks.awaitQuiet(honest); // the process is new, and slow at first
    NetClient attackers =
        attackersLoop.createNetClient(
            new NetClientOptions().setConnectTimeout(5_000).setReceiveBufferSize(16 * 1024));
    var context = attackersLoop.getOrCreateContext();
    if (alive) {
      context.runOnContext(
          any -> attacks.forEach(attack -> attack.begin(attackersLoop, attackers, gateway.port())));
      alive = watch("under attack", ATTACK_SECONDS);
      context.runOnContext(any -> attacks.forEach(attack -> attack.stop(attackersLoop)));
    }
    if (alive) {
      new RecoveryChecks(attackersLoop, gateway, watcher, honest, ledger, attackedKeys, findings)
          .judge(() -> watch("after the attacks", QUIET_SECONDS), periods);
    }
    report();
  }

  /** A period of honest clients; whether the gateway outlived it. */
  private boolean watch(String name, int seconds) throws InterruptedException {
    Period period = new Period(name);
    periods.add(period);
    honest.begin(period, PER_SECOND);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int second = 1; System.nanoTime() - end < 0; second++) {
      TimeUnit.SECONDS.sleep(1);
      longestSilence = Math.max(longestSilence, honest.silenceMillis());
      if (second % 10 == 0) {
        progress(period, seconds - TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime()));
      }
      if (!gateway.isAlive()) {
        findings.broken(
            "the process ended",
            "with " + gateway.exitCode() + ", " + name + ", at " + second + " s");
        break;
      }
      if (honest.silenceMillis() > LONGEST_SILENCE.toMillis()) {
        findings.broken(
            "no honest client was answered for a minute", name + ", at " + second + " s");
        break;
      }
    }
    honest.end();
    return gateway.isAlive() && honest.silenceMillis() <= LONGEST_SILENCE.toMillis();
  }

  private void progress(Period period, long second) {
    List<Integer> heap = gateway.heapAfterCollections();
    System.out.printf(
        "%s, %d s: %d sent, %d answered, %d other, %d waiting; heap %d MB, resident %d MB%n",
        period.name,
        second,
        period.sent.get(),
        period.answered.get(),
        period.othersInAll(),
        honest.waiting(),
        heap.isEmpty() ? 0 : heap.get(heap.size() - 1),
        gateway.kilobytes("VmRSS") / 1024);
  }

  private void report() throws Exception {
    List<Integer> heap = gateway.heapAfterCollections();
    System.out.println(
        "\n| honest clients | sent | answered | p50 ms | p99 ms | not begun | other |");
    System.out.println("|---|---|---|---|---|---|---|");
    periods.forEach(period -> System.out.println(period.row()));
    System.out.println("\n| attack | at once | connections | requests | what they got |");
    System.out.println("|---|---|---|---|---|");
    attacks.forEach(attack -> System.out.println(attack.row()));
    System.out.printf(
        "%nupstream: %d keys ran, %d of them twice, %d smuggled requests, %d hostile answers%n",
        ledger.operations(),
        ledger.keysThatRanTwice(),
        ledger.smuggledRequests(),
        ledger.hostileAnswers());
    System.out.printf(
        "heap after a collection: at most %d MB, at last %d MB; resident at most %d MB; file %d MB%n",
        heap.stream().mapToInt(Integer::intValue).max().orElse(0),
        heap.isEmpty() ? 0 : heap.get(heap.size() - 1),
        watcher.residentMegabytes(),
        gateway.fileBytes("once.db") / 1_000_000);
    System.out.printf("longest time without an answer: %d ms%n", longestSilence);
    System.out.println("admin port: " + watcher.row());
    System.out.println(
        "errors in the log: "
            + gateway.log().lines().filter(line -> line.contains("OutOfMemory")).count()
            + " of memory, "
            + gateway.log().lines().filter(line -> line.contains("ERROR")).count()
            + " in all");
    findings.sentences().forEach(sentence -> System.out.println("BROKEN  " + sentence));
    System.out.println(findings.isEmpty() ? "\nEvery promise was kept." : "");
  }
}
