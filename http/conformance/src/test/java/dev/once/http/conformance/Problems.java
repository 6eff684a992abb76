package dev.once.http.conformance;

import java.util.Set;

/** How the reference server words its refusals. */
final class Problems {

  private final Set<Defect> defects;

  Problems(Set<Defect> defects) {
    this.defects = defects;
  }

  Outgoing refusal(int status, String title, String key) {
    String echo = defects.contains(Defect.ECHOES_KEYS) ? " (" + key.replace("\"", "") + ")" : "";
    if (defects.contains(Defect.PLAIN_TEXT_REFUSALS)) {
      return Outgoing.of(status, "text/plain", title + echo);
    }
    String body =
        "{\"type\":\""
            + (defects.contains(Defect.NO_LINKS) ? "about:blank" : "/docs")
            + "\",\"title\":\""
            + title
            + echo
            + "\""
            + (defects.contains(Defect.NO_STATUS_IN_PROBLEMS) ? "" : ",\"status\":" + status)
            + (silent() ? "" : ",\"retention\":\"PT24H\"")
            + "}";
    return Outgoing.of(status, "application/problem+json", body);
  }

  Outgoing page() {
    return defects.contains(Defect.DEAD_LINKS)
        ? Outgoing.of(404, "text/plain", "not found")
        : Outgoing.of(200, "text/html", silent() ? "Keys." : "Keys are kept for 24 hours.");
  }

  private boolean silent() {
    return defects.contains(Defect.SILENT_ABOUT_RETENTION);
  }
}
