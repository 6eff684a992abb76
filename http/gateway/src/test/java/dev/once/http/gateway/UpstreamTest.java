package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * What waits in a socket while the event loop does something else. It is held up here, so that
 * nobody reads but who takes a connection.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UpstreamTest extends GatewayFixture {

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void closeVertx() throws Exception {
    vertx.close().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private Upstream upstream() {
    IdleTimeouts timeouts = new IdleTimeouts(vertx, Duration.ofSeconds(Gate.TIMEOUT_SECONDS));
    return new Upstream(vertx, new Setup(service.port()).settings(), timeouts, 1);
  }

  private static Future<HttpClientRequest> ask(Upstream upstream, String path) {
    return upstream
        .request(HttpMethod.GET, path, true)
        .compose(call -> call.send().compose(HttpClientResponse::body).map(call));
  }

  /** Takes a connection, and the next as soon as the first is seen to be of no use. */
  private String nextAfter(Gate answered) throws Exception {
    Promise<String> next = Promise.promise();
    vertx.runOnContext(
        start -> {
          Upstream upstream = upstream();
          ask(upstream, "/evil")
              .compose(call -> later().map(call))
              .onSuccess(
                  call -> {
                    UpstreamCodec codec = UpstreamCodec.of(call.connection());
                    answered.open();
                    eventually(() -> !codec.isUsable(true));
                  })
              .compose(call -> upstream.request(HttpMethod.GET, "/victim", true))
              .compose(call -> call.send().compose(HttpClientResponse::body))
              .map(body -> body.toString())
              .onComplete(next);
        });
    return next.future().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private Future<Void> later() {
    Promise<Void> later = Promise.promise();
    vertx.runOnContext(later::complete);
    return later.future();
  }

  @Test
  void bytes_that_wait_in_the_socket_are_no_answer_to_the_next_request() throws Exception {
    Gate answered = new Gate();
    service.on(
        "/evil",
        call -> {
          call.answer(200, "ok");
          answered.pass();
          call.send("HTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\nContent-Length: 4\r\n\r\nevil");
        });
    assertThat(nextAfter(answered)).isEqualTo("1 /victim ");
  }

  @Test
  void a_connection_that_was_closed_is_not_taken() throws Exception {
    Gate answered = new Gate();
    service.on(
        "/evil",
        call -> {
          call.answer(200, "ok");
          answered.pass();
          call.close();
        });
    assertThat(nextAfter(answered)).isEqualTo("1 /victim ");
  }

  @Test
  void a_request_that_is_not_sent_because_something_came_first_is_known_not_to_have_run()
      throws Exception {
    Gate taken = new Gate();
    service.on(
        "/evil",
        call -> {
          call.answer(200, "ok");
          taken.pass();
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
        });
    Promise<Boolean> refused = Promise.promise();
    vertx.runOnContext(
        start -> {
          Upstream upstream = upstream();
          ask(upstream, "/evil")
              .compose(call -> later())
              .compose(any -> upstream.request(HttpMethod.GET, "/victim", true))
              .onSuccess(
                  call -> {
                    UpstreamCodec codec = UpstreamCodec.of(call.connection());
                    taken.open();
                    eventually(() -> !codec.isUsable(true));
                    call.send().onComplete(any -> refused.complete(codec.hasRefused()));
                  })
              .onFailure(refused::fail);
        });
    assertThat(refused.future().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(service.calls("/victim")).isEmpty();
  }
}
