package dev.once.http.semantics;

import dev.once.http.semantics.Routes.Route;

/**
 * The published policy: what each route asks of keys and how long answers are kept, for people. The
 * types of problems link to it.
 */
public final class PolicyPage {

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2f6feb; }
      body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1.25rem; }
      h1 { font-size: 1.9rem; margin-bottom: .25rem; } h2 { margin-top: 2.5rem; font-size: 1.25rem; }
      h3 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 .5rem; }
      p.lead { opacity: .8; margin-top: 0; }
      table { border-collapse: collapse; width: 100%; }
      td, th { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); }
      td:first-child { white-space: nowrap; width: 1%; }
      code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .1em .35em; border-radius: .25em; }
      dt { font-weight: 600; margin-top: 1.25rem; scroll-margin-top: 1rem; } dt code { font-weight: 400; }
      dd { margin: .15rem 0 0; } :target { border-left: 4px solid var(--accent); padding-left: .6rem; }
      .key { font-weight: 600; }
      """;

  private PolicyPage() {}

  /** As HTML, in one piece. */
  public static String render(Routes routes) {
    StringBuilder page = new StringBuilder(16 * 1024);
    page.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width\">")
        .append("<title>Idempotency keys</title><style>")
        .append(STYLE)
        .append("</style></head><body><h1>Idempotency keys</h1>")
        .append("<p class=\"lead\">Send a key with a request that changes something, and the same")
        .append(" key with every retry. The request takes effect once; every retry gets the")
        .append(" recorded answer.</p><h2>Rules in force</h2>");
    for (Route route : routes.routes()) {
      section(page, route.pattern().toString(), route.policy());
    }
    String others = routes.routes().isEmpty() ? "All requests" : "All other requests";
    section(page, others, routes.base());
    page.append(
            "<h2>What a refusal means</h2><p>Refusals are <code>application/problem+json</code>")
        .append(" (RFC 9457), unless <code>refusal-format</code> says otherwise. Their")
        .append(" <code>type</code> links here; <code>retry</code> says what to do:")
        .append(" <code>same-key</code>, send the same request with the same key again;")
        .append(" <code>new-key</code>, send it with a new key; <code>never</code>, it would be")
        .append(" refused again. <code>instance</code> names the refusal: tell it to whoever")
        .append(" operates the service.</p><dl>");
    for (ProblemType type : ProblemType.values()) {
      page.append("<dt id=\"")
          .append(type.anchor())
          .append("\">")
          .append(escape(type.title()))
          .append(" <code>#")
          .append(type.anchor())
          .append("</code> <code>retry: ")
          .append(ValueText.showWord(type.retry()))
          .append("</code></dt><dd>")
          .append(escape(type.advice()))
          .append("</dd>");
    }
    return page.append("</dl></body></html>").toString();
  }

  private static void section(StringBuilder page, String title, HttpPolicy policy) {
    page.append("<h3>").append(escape(title)).append("</h3>");
    page.append("<p class=\"key\">").append(escape(summary(policy))).append("</p><table>");
    for (PolicyValue value : PolicyValue.values()) {
      String shown = value.show(policy);
      page.append("<tr><td><code>")
          .append(value.label())
          .append("</code></td><td>")
          .append(escape(shown.isEmpty() ? "none" : shown))
          .append("</td><td>")
          .append(escape(value.meaning()))
          .append("</td></tr>");
    }
    page.append("</table>");
  }

  private static String summary(HttpPolicy policy) {
    if (!policy.enabled()) {
      return "Keys are not looked at.";
    }
    return "%s: header %s is %s. A key has %s. Answers are kept for %s."
        .formatted(
            PolicyValue.METHODS.show(policy),
            policy.keyHeader(),
            policy.required() ? "required" : "optional",
            policy.keyRule().describe(),
            PolicyValue.RETENTION.show(policy));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
