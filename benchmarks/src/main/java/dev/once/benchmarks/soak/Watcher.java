package dev.once.benchmarks.soak;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks at the admin port and at the process, again and again. */
final class Watcher {

  /** Of interest at its highest. */
  private static final Pattern GAUGE =
      Pattern.compile(
          "(?m)^((?:once|gateway|idempotency)_\\w*(?:held|budget|processing|waiting|memory|connections)\\w*"
              + "(?:\\{[^}]*})?) ([0-9.E+-]+)$");

  private final GatewayProcess gateway;
  private final Map<String, Double> highest = new TreeMap<>();
  private int looks;
  private int notReady;
  private int noAnswer;
  private volatile long mostResident;

  Watcher(GatewayProcess gateway) {
    this.gateway = gateway;
  }

  /** From now on, each second; a look that gets no answer takes up to ten. */
  void begin() {
    Thread thread =
        new Thread(
            () -> {
              while (gateway.isAlive()) {
                look();
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
              }
            },
            "watcher");
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized void counted(boolean ready, String metrics) {
    looks++;
    notReady += ready ? 0 : 1;
    Matcher gauges = GAUGE.matcher(metrics);
    while (gauges.find()) {
      highest.merge(gauges.group(1), Double.valueOf(gauges.group(2)), Math::max);
    }
  }

  private synchronized void unanswered() {
    looks++;
    noAnswer++;
  }

  private void look() {
    mostResident = Math.max(mostResident, gateway.kilobytes("VmRSS"));
    try {
      boolean ready = gateway.admin("/health/ready").statusCode() == 200;
      counted(ready, gateway.admin("/metrics").body());
    } catch (IOException e) {
      if (gateway.isAlive()) {
        unanswered();
      }
    }
  }

  /** A gauge as it is now; NaN if nobody tells. */
  double now(String name) {
    try {
      Matcher value =
          Pattern.compile("(?m)^" + name + " ([0-9.E+-]+)$")
              .matcher(gateway.admin("/metrics").body());
      return value.find() ? Double.parseDouble(value.group(1)) : Double.NaN;
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  long residentMegabytes() {
    return mostResident / 1024;
  }

  synchronized String row() {
    return "%d looks: %d times not ready, %d times no answer; highest gauges %s"
        .formatted(looks, notReady, noAnswer, highest);
  }
}
