package dev.once.cli.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The requests of the demo, in their order: what a key changes. */
public final class DemoScript {

  private final PaymentsApi api;
  private final Client client;
  private final PrintStream out;

  public DemoScript(PaymentsApi api, URI gateway, PrintStream out, boolean colours) {
    this.api = api;
    this.client = new Client(gateway, out, colours);
    this.out = out;
  }

  /** Shows it; true if all was as it should be. */
  public boolean run() throws IOException {
    out.println("A client pays, does not get the answer, and sends it again. Without a key:\n");
    int before = api.charges();
    client.pay(10, null);
    client.pay(10, null);
    int withoutKey = api.charges() - before;
    client.printCharged(withoutKey);

    String key = UUID.randomUUID().toString();
    out.println("\nThe same with a key:\n");
    before = api.charges();
    client.pay(10, key);
    HttpResponse<String> retry = client.pay(10, key);
    int withKey = api.charges() - before;
    client.printCharged(withKey);

    out.println("\nThe same key for another payment:\n");
    HttpResponse<String> other = client.pay(99, key);

    out.println("\nTwo at once with one key, while the API takes 2 seconds:\n");
    String shared = UUID.randomUUID().toString();
    boolean oneRan = race(shared);
    out.println();
    return withoutKey == 2
        && withKey == 1
        && retry.statusCode() == 201
        && other.statusCode() == 422
        && oneRan;
  }

  private boolean race(String key) throws IOException {
    int before = api.charges();
    CompletableFuture<HttpResponse<String>> one = client.send(20, key, true);
    CompletableFuture<HttpResponse<String>> two = client.send(20, key, true);
    HttpResponse<String> first = client.await(one);
    HttpResponse<String> second = client.await(two);
    boolean inOrder = first.statusCode() < second.statusCode();
    client.print(20, key, inOrder ? first : second);
    client.print(20, key, inOrder ? second : first);
    int charged = api.charges() - before;
    client.printCharged(charged);
    return charged == 1 && Math.max(first.statusCode(), second.statusCode()) == 409;
  }
}
