package dev.once.cli.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends payments, and prints what it sent and got. */
final class Client {

  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Pattern TITLE = Pattern.compile("\"title\":\"([^\"]*)\"");
  private static final String GREEN = "\u001b[32m";
  private static final String BOLD_GREEN = "\u001b[1;32m";
  private static final String BOLD_RED = "\u001b[1;31m";
  private static final String YELLOW = "\u001b[33m";
  private static final String GREY = "\u001b[90m";
  private static final String PLAIN = "\u001b[0m";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI payments;
  private final PrintStream out;
  private final boolean colours;

  Client(URI gateway, PrintStream out, boolean colours) {
    this.payments = gateway.resolve("/payments");
    this.out = out;
    this.colours = colours;
  }

  /** Pays, waits for the answer and prints both. */
  HttpResponse<String> pay(int amount, @Nullable String key) throws IOException {
    HttpResponse<String> got = await(send(amount, key, false));
    print(amount, key, got);
    return got;
  }

  HttpResponse<String> await(CompletableFuture<HttpResponse<String>> answer) throws IOException {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw new IOException("the gateway did not answer: " + e.getCause(), e);
    }
  }

  CompletableFuture<HttpResponse<String>> send(int amount, @Nullable String key, boolean slow) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(payments)
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"amount\":" + amount + "}"));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    if (slow) {
      request.header("X-Slow", "1");
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString());
  }

  void print(int amount, @Nullable String key, HttpResponse<String> answer) {
    String sent = "POST /payments {\"amount\":" + amount + "}";
    String named = key == null ? "" : "   Idempotency-Key: " + key;
    out.println("  " + painted(GREY, "> " + sent + named));
    String replayed =
        answer.headers().firstValue("Idempotent-Replayed").isPresent()
            ? "   Idempotent-Replayed: true"
            : "";
    String retry =
        answer.headers().firstValue("Retry-After").map(s -> "   Retry-After: " + s).orElse("");
    String colour = answer.statusCode() < 400 ? GREEN : YELLOW;
    out.println(
        "  "
            + painted(colour, "< " + answer.statusCode() + replayed + retry)
            + "   "
            + shown(answer.body()));
  }

  /** How often the card was charged, for what should be charged once. */
  void printCharged(int times) {
    String often = times == 1 ? "once" : times == 2 ? "twice" : times + " times";
    String text = "The card was charged " + often + ".";
    out.println("\n  " + painted(times == 1 ? BOLD_GREEN : BOLD_RED, text));
  }

  /** Of a problem, its title: the rest is for clients, and the policy page. */
  private static String shown(String body) {
    Matcher title = TITLE.matcher(body);
    return title.find() ? title.group(1) : body;
  }

  private String painted(String colour, String text) {
    return colours ? colour + text + PLAIN : text;
  }
}
