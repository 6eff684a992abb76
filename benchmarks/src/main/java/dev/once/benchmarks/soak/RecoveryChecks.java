package dev.once.benchmarks.soak;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** What must hold when the attackers are gone. */
final class RecoveryChecks {

  /** So long after the attacks all must be as before: what runs ends, and leases run out. */
  private static final Duration RECOVERY =
      GatewayProcess.LEASE.plus(GatewayProcess.GRACE).plusSeconds(30);

  private static final int REPLAYS_AT_ONCE = 32;

  private final Vertx vertx;
  private final GatewayProcess gateway;
  private final Watcher watcher;
  private final HonestClients honest;
  private final Ledger ledger;
  private final AttackedKeys attackedKeys;
  private final Findings findings;

  RecoveryChecks(
      Vertx vertx,
      GatewayProcess gateway,
      Watcher watcher,
      HonestClients honest,
      Ledger ledger,
      AttackedKeys attackedKeys,
      Findings findings) {
    this.vertx = vertx;
    this.gateway = gateway;
    this.watcher = watcher;
    this.honest = honest;
    this.ledger = ledger;
    this.attackedKeys = attackedKeys;
    this.findings = findings;
  }

  /** The last period, of honest clients alone, is run when those that waited have their answers. */
  void judge(Callable<Boolean> lastPeriod, List<Period> periods) throws Exception {
    awaitQuiet(honest);
    if (honest.waiting() > 0) {
      findings.broken(
          "payments without an answer " + RECOVERY.toSeconds() + " s after the attacks",
          honest.waiting() + " of them");
    }
    if (honest.waiting() > 0 && honest.deadMillis() > RECOVERY.toMillis() / 2) {
      findings.broken("the gateway did not come back", "no reply for half of that time");
    } else {
      TimeUnit.NANOSECONDS.sleep(GatewayProcess.LEASE.plusSeconds(5).toNanos());
      locked();
      lastPeriod.call();
      awaitQuiet(honest);
      Period last = periods.get(periods.size() - 1);
      if (last.refused() > 0) {
        findings.broken("honest clients were refused when the attackers were gone", last.row());
      }
      replays();
      gauge();
    }
    ended();
  }

  /** Until all payments have their answers; not for ever. */
  static void awaitQuiet(HonestClients honest) throws InterruptedException {
    long end = System.nanoTime() + RECOVERY.toNanos();
    while (honest.waiting() > 0 && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Every key, once more: its answer, recorded, from one execution. */
  private void replays() throws InterruptedException {
    for (int from = 0; from < honest.payments(); from += REPLAYS_AT_ONCE) {
      int to = Math.min(honest.payments(), from + REPLAYS_AT_ONCE);
      for (int number = from; number < to; number++) {
        int runs = ledger.runs(honest.key(number));
        if (runs != 1) {
          findings.broken("a payment that did not run once", honest.key(number) + ": " + runs);
        }
      }
      List<Future<String>> answers = new ArrayList<>();
      for (int number = from; number < to; number++) {
        answers.add(honest.atLast(number).map(wrong -> wrong == null ? "" : wrong));
      }
      Future.join(answers).toCompletionStage().toCompletableFuture().join();
      for (int i = 0; i < answers.size(); i++) {
        if (!answers.get(i).result().isEmpty()) {
          findings.broken(
              "a key of an honest client without its answer at the end",
              honest.key(from + i) + ": " + answers.get(i).result());
        }
      }
    }
  }

  /** Two leases after the attacks nobody runs what attackers began. */
  private void locked() {
    List<AttackedKeys.Used> keys = attackedKeys.last();
    List<Future<String>> answers = new ArrayList<>();
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(gateway.port()));
    for (AttackedKeys.Used used : keys) {
      answers.add(
          client
              .request(HttpMethod.POST, used.path())
              .compose(
                  request ->
                      request
                          .putHeader("Authorization", Http1Attacks.AUTHORIZATION)
                          .putHeader("Content-Type", "text/plain")
                          .putHeader("Idempotency-Key", used.key())
                          .send(Buffer.buffer(AttackedKeys.BODY)))
              .compose(response -> response.body().map(Buffer::toString))
              .timeout(40, TimeUnit.SECONDS)
              .otherwise(failure -> ""));
    }
    Future.join(answers).toCompletionStage().toCompletableFuture().join();
    for (int i = 0; i < keys.size(); i++) {
      if (answers.get(i).result().contains("#still-running")) {
        findings.broken("a key locked by nobody", keys.get(i).toString());
      }
    }
  }

  private void gauge() throws InterruptedException {
    long end = System.nanoTime() + RECOVERY.toNanos();
    double running = watcher.now("idempotency_processing_gauge");
    while (running != 0 && System.nanoTime() - end < 0) {
      TimeUnit.SECONDS.sleep(1);
      running = watcher.now("idempotency_processing_gauge");
    }
    if (running != 0) {
      findings.broken("operations that still run when nobody sends", String.valueOf(running));
    }
    if (ledger.smuggledRequests() > 0) {
      findings.broken("a hidden request reached the upstream", "" + ledger.smuggledRequests());
    }
  }

  private void ended() throws InterruptedException {
    honest.close();
    Duration atMost = GatewayProcess.GRACE.plusSeconds(20);
    long took = gateway.terminate(atMost);
    System.out.printf("SIGTERM: ended after %d s%n", took);
    if (took < 0) {
      findings.broken("SIGTERM did not end the process", "within " + atMost);
    }
  }
}
