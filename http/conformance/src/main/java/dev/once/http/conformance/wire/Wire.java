package dev.once.http.conformance.wire;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.Protocol;
import dev.once.http.conformance.Target.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Sends requests by the JDK's client. Safe for use by many threads. */
public final class Wire {

  private final HttpClient client;
  private final Transport transport;

  public Wire(Transport transport) {
    this.transport = transport;
    this.client =
        HttpClient.newBuilder()
            .version(
                transport.protocol() == Protocol.HTTP_2
                    ? HttpClient.Version.HTTP_2
                    : HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(transport.connectTimeout())
            .sslContext(TrustedCertificates.context(transport.insecure()))
            .build();
  }

  public Exchange send(Request request) throws NoAnswerException {
    return start(request).await();
  }

  public Pending start(Request request) {
    return new Pending(request, System.nanoTime());
  }

  /** A request under way. */
  public final class Pending {

    private final Request request;
    private final long startedAt;

    /** The client's own future, whose cancellation ends the exchange. */
    private final CompletableFuture<HttpResponse<byte[]>> sending;

    private final CompletableFuture<Exchange> exchange;

    private Pending(Request request, long startedAt) {
      this.request = request;
      this.startedAt = startedAt;
      this.sending = client.sendAsync(httpRequest(request), head -> new LimitedBody());
      this.exchange = sending.thenApply(this::exchange);
    }

    private Exchange exchange(HttpResponse<byte[]> response) {
      List<Header> headers = new ArrayList<>();
      response
          .headers()
          .map()
          .forEach((name, values) -> values.forEach(v -> headers.add(new Header(name, v))));
      Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
      boolean http2 = response.version() == HttpClient.Version.HTTP_2;
      return new Exchange(
          request, new Reply(response.statusCode(), headers, response.body(), took, http2));
    }

    /** The answer, all of it, within the time-out: the client's own ends with the headers. */
    public Exchange await() throws NoAnswerException {
      long left = transport.requestTimeout().toNanos() - (System.nanoTime() - startedAt);
      try {
        return exchange.get(Math.max(left, 0), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        sending.cancel(true);
        throw new NoAnswerException(
            request, "no answer within " + transport.requestTimeout().toMillis() + " ms", e);
      } catch (ExecutionException e) {
        throw new NoAnswerException(request, why(e), e);
      } catch (InterruptedException e) {
        sending.cancel(true);
        Thread.currentThread().interrupt();
        throw new NoAnswerException(request, "interrupted", e);
      }
    }

    /** Hangs up after {@code timeout}; false if the answer came before. */
    public boolean hangUpAfter(Duration timeout) throws NoAnswerException {
      try {
        exchange.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        return false;
      } catch (TimeoutException e) {
        return sending.cancel(true);
      } catch (ExecutionException e) {
        throw new NoAnswerException(request, why(e), e);
      } catch (InterruptedException e) {
        sending.cancel(true);
        Thread.currentThread().interrupt();
        throw new NoAnswerException(request, "interrupted", e);
      }
    }
  }

  private static HttpRequest httpRequest(Request request) {
    BodyPublisher body =
        request.body().isEmpty()
            ? BodyPublishers.noBody()
            : BodyPublishers.ofString(request.body());
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(request.uri()).method(request.method(), body);
    request.headers().forEach(header -> builder.header(header.name(), header.value()));
    request.keys().forEach(header -> builder.header(header.name(), header.value()));
    return builder.build();
  }

  private static String why(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof HttpConnectTimeoutException) {
      return "no connection in time";
    }
    if (cause instanceof ConnectException) {
      return unresolved(cause) ? "no such host" : "connection refused";
    }
    if (cause instanceof SSLException) {
      return "no TLS connection: " + cause.getMessage();
    }
    if (cause instanceof LimitedBody.TooLargeException) {
      return "sent too much, " + cause.getMessage();
    }
    if (cause instanceof IOException) {
      return "connection lost: " + cause.getMessage();
    }
    return String.valueOf(cause);
  }

  /** The client wraps what the resolver says in refused connections. */
  private static boolean unresolved(Throwable refused) {
    for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return true;
      }
    }
    return false;
  }
}
