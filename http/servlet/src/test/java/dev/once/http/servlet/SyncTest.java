package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** Requests that are answered on their own thread. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class SyncTest {

  private final AtomicInteger number = new AtomicInteger();

  private final Handler echo =
      (request, response) -> {
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        response.setStatus(201);
        response.setContentType("application/json");
        response.setHeader("Location", "/orders/" + number.incrementAndGet());
        response.addHeader("X-Many", "one");
        response.addHeader("X-Many", "two");
        response.getOutputStream().write(("made " + body).getBytes(StandardCharsets.UTF_8));
      };

  @InEachContainer
  void a_length_of_a_body_that_never_came_is_not_told(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setStatus(201);
          response.setContentLength(5);
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.body()).isEmpty();
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(201);
    }
  }

  @InEachContainer
  void a_retry_gets_the_first_answer_marked(Containers kind) throws Exception {
    try (Server server = Server.start(kind, echo)) {
      HttpResponse<String> first = server.post("k1", "{\"a\":1}");
      HttpResponse<String> second = server.post("k1", "{ \"a\": 1 }");

      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.body()).isEqualTo("made {\"a\":1}");
      assertThat(first.headers().firstValue("Location")).hasValue("/orders/1");
      assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
      assertThat(second.statusCode()).isEqualTo(201);
      assertThat(second.body()).isEqualTo(first.body());
      assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      for (String name : new String[] {"Location", "Content-Type", "X-Many", "Content-Length"}) {
        assertThat(second.headers().allValues(name))
            .as(name)
            .isNotEmpty()
            .isEqualTo(first.headers().allValues(name));
      }
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void another_request_with_the_same_key_is_refused(Containers kind) throws Exception {
    try (Server server = Server.start(kind, echo)) {
      server.post("k1", "{\"a\":1}");
      HttpResponse<String> other = server.post("k1", "{\"a\":2}");

      assertThat(other.statusCode()).isEqualTo(422);
      assertThat(other.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void requests_without_a_body_run_once_too(Containers kind) throws Exception {
    try (Server server = Server.start(kind, echo)) {
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> answer =
            server.send(
                server
                    .request("/orders")
                    .header("Idempotency-Key", "k1")
                    .POST(BodyPublishers.noBody()));
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.body()).isEqualTo("made ");
      }
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_required_key_that_is_missing_is_asked_for(Containers kind) throws Exception {
    HttpPolicy required = HttpPolicy.DEFAULT.with(p -> p.required(true));
    try (Server server = Server.start(kind, f -> f.policies(any -> required), echo)) {
      HttpResponse<String> answer =
          server.send(server.request("/orders").POST(BodyPublishers.ofString("{}")));

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("key-missing");
      assertThat(server.runs()).isZero();
    }
  }

  /** The usual mistake: the characters of a text are counted, and not its bytes. */
  @InEachContainer
  void a_body_has_its_own_length_whatever_the_handler_said(Containers kind) throws Exception {
    for (int said : new int[] {5, 20}) {
      Handler handler =
          (request, response) -> {
            response.setContentLength(said);
            response.getOutputStream().print("0123456789");
          };
      try (Server server = Server.start(kind, handler)) {
        for (int i = 0; i < 2; i++) {
          HttpResponse<String> answer = server.post("k1", "{}");
          assertThat(answer.statusCode()).isEqualTo(200);
          assertThat(answer.body()).isEqualTo("0123456789");
        }
      }
    }
  }

  @InEachContainer
  void a_status_that_no_answer_can_have_is_not_recorded(Containers kind) throws Exception {
    for (int status : new int[] {-1, 99, 103, 1000}) {
      try (Server server = Server.start(kind, (request, response) -> response.setStatus(status))) {
        HttpResponse<String> answer = server.post("k1", "{}");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("outcome-unknown");
        assertThat(server.post("k1", "{}").body()).contains("still-running");
      }
    }
  }

  /** By RFC 3986, as Tomcat has it. */
  @InEachContainer
  void a_redirect_that_names_no_page_stays_on_it(Containers kind) throws Exception {
    for (String location : new String[] {"?saved=1", "#saved", ""}) {
      Handler handler = (request, response) -> response.sendRedirect(location);
      try (Server server = Server.start(kind, handler)) {
        String to = server.post("k1", "{}").headers().firstValue("Location").orElse("none");
        assertThat(server.url("/orders").resolve(to)).isEqualTo(server.url("/orders" + location));
      }
    }
  }

  /** All that comes back until the connection is closed. */
  private static String raw(Server server, String requests) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
      byte[] all = socket.getInputStream().readAllBytes();
      return new String(all, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }
  }

  @InEachContainer
  void a_path_that_begins_with_two_slashes_makes_no_redirect_to_another_host(Containers kind)
      throws Exception {
    Handler handler = (request, response) -> response.sendRedirect("done");
    try (Server server = Server.start(kind, handler)) {
      String reply =
          raw(
              server,
              "POST //evil.example/orders HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                  + "Idempotency-Key: k1\r\nContent-Length: 2\r\n\r\n{}");
      assertThat(reply)
          .startsWith("http/1.1 ")
          .doesNotContain("location: //")
          .doesNotContain("location: http://evil");
    }
  }

  @InEachContainer
  void trailers_are_passed_on(Containers kind) throws Exception {
    for (int pieces : new int[] {1, 200_000}) {
      Handler handler =
          (request, response) -> {
            if (request.getMethod().equals("GET")) {
              return; // the connection is closed after that one, and not without trailers before
            }
            response.setHeader("Trailer", "X-Sum");
            response.setTrailerFields(() -> Map.of("X-Sum", "abc"));
            for (int i = 0; i < pieces; i++) {
              response.getOutputStream().print("0123456789");
            }
          };
      try (Server server = Server.start(kind, handler)) {
        String replies =
            raw(
                server,
                "POST /orders HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nIdempotency-Key: k1\r\n"
                    + "Content-Length: 2\r\n\r\n{}"
                    + "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assertThat(replies.contains("\r\nx-sum: abc\r\n")).as(pieces + " pieces").isTrue();
      }
    }
  }
}
