package dev.once.http.servlet;

import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.http.servlet.Container.Application;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A handler under the filter in a container, and a client for it. */
final class Server implements AutoCloseable {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Container container;
  private final Handler.Counting servlet;
  private final @Nullable Once once;
  private final @Nullable Store store;

  private Server(
      Container container, Handler.Counting servlet, @Nullable Once once, @Nullable Store store) {
    this.container = container;
    this.servlet = servlet;
    this.once = once;
    this.store = store;
  }

  static Server start(Containers kind, Handler handler) throws Exception {
    return start(kind, filter -> filter, handler);
  }

  static Server start(Containers kind, UnaryOperator<OnceFilter.Builder> settings, Handler handler)
      throws Exception {
    return start(kind, new MemoryStore(), settings, null, null, handler);
  }

  static Server start(
      Containers kind,
      Store store,
      UnaryOperator<OnceFilter.Builder> settings,
      @Nullable String errorPage,
      @Nullable Path uploads,
      Handler handler)
      throws Exception {
    Once once = Once.builder(store).build();
    Handler.Counting servlet = new Handler.Counting(handler);
    OnceFilter filter = settings.apply(OnceFilter.builder(once)).build();
    Container container = kind.start(new Application(List.of(filter), servlet, errorPage, uploads));
    return new Server(container, servlet, once, store);
  }

  /** With somebody who is told what happens. */
  static Server start(Containers kind, OnceListener listener, Handler handler) throws Exception {
    MemoryStore store = new MemoryStore();
    Once once = Once.builder(store).listener(listener).build();
    Handler.Counting servlet = new Handler.Counting(handler);
    OnceFilter filter = OnceFilter.builder(once).build();
    return new Server(
        kind.start(new Application(List.of(filter), servlet, null, null)), servlet, once, store);
  }

  /** With other filters outside. */
  static Server start(Containers kind, List<Filter> outside, Handler handler) throws Exception {
    return start(kind, new MemoryStore(), filter -> filter, outside, handler);
  }

  /** With other filters outside, and somebody who is told what happens. */
  static Server start(Containers kind, OnceListener listener, List<Filter> outside, Handler handler)
      throws Exception {
    MemoryStore store = new MemoryStore();
    Once once = Once.builder(store).listener(listener).build();
    Handler.Counting servlet = new Handler.Counting(handler);
    List<Filter> filters = new ArrayList<>(outside);
    filters.add(OnceFilter.builder(once).build());
    return new Server(
        kind.start(new Application(filters, servlet, null, null)), servlet, once, store);
  }

  static Server start(
      Containers kind,
      Store store,
      UnaryOperator<OnceFilter.Builder> settings,
      List<Filter> outside,
      Handler handler)
      throws Exception {
    Once once = Once.builder(store).build();
    Handler.Counting servlet = new Handler.Counting(handler);
    List<Filter> filters = new ArrayList<>(outside);
    filters.add(settings.apply(OnceFilter.builder(once)).build());
    return new Server(
        kind.start(new Application(filters, servlet, null, null)), servlet, once, store);
  }

  /** The same handler, without the filter. */
  static Server plain(
      Containers kind, @Nullable String errorPage, @Nullable Path uploads, Handler handler)
      throws Exception {
    Handler.Counting servlet = new Handler.Counting(handler);
    return new Server(
        kind.start(new Application(List.of(), servlet, errorPage, uploads)), servlet, null, null);
  }

  int runs() {
    return servlet.runs();
  }

  int port() {
    return container.port();
  }

  URI url(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(url(path)).timeout(Duration.ofMinutes(5));
  }

  HttpResponse<String> post(String key, String body) throws IOException, InterruptedException {
    return send(
        request("/orders")
            .header("Idempotency-Key", key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  @Override
  public void close() throws Exception {
    container.close();
    if (once != null) {
      once.close();
    }
    if (store != null) {
      store.close();
    }
  }
}
