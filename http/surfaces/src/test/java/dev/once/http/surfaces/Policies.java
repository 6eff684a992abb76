package dev.once.http.surfaces;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What holds under which path, in the words of files and properties; the same on every surface. */
enum Policies {
  USUAL(""),
  KEY_REQUIRED("required: true"),
  SMALL("max-request-body: 1k\nmax-stored-body: 1k"),
  STATUS_ONLY("keep: status-only"),
  FAILURES_RELEASED("on-failure: release"),
  REJECTIONS_RELEASED("on-rejection: release"),
  WITHOUT_STORE("on-store-down: go-on"),
  WAITING("on-busy: wait"),
  RUN_AGAIN("on-crash: run-again"),

  /** For what is waited for as long as a lease. */
  SHORT_LEASE("lease: 1s");

  private final String values;

  Policies(String values) {
    this.values = values;
  }

  String path() {
    return "/" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As YAML of the gateway. */
  static String yaml() {
    StringBuilder text = new StringBuilder("routes:\n");
    for (Policies policy : values()) {
      text.append("  - match: ").append(policy.path()).append("/*\n");
      text.append(policy.values.indent(4));
    }
    return text.toString();
  }

  /** As properties of Boot. */
  static Map<String, Object> properties() {
    Map<String, Object> all = new LinkedHashMap<>();
    int route = 0;
    for (Policies policy : values()) {
      String prefix = "once.routes[" + route++ + "].";
      all.put(prefix + "match", policy.path() + "/*");
      policy
          .values
          .lines()
          .map(line -> line.split(": ", 2))
          .forEach(value -> all.put(prefix + value[0], value[1]));
    }
    return all;
  }
}
