package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What handlers read of a request is what they would read without the filter. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class RequestBodyTest {

  @TempDir private Path uploads;

  private static String parameters(HttpServletRequest request) {
    Map<String, List<String>> all = new TreeMap<>();
    for (String name : Collections.list(request.getParameterNames())) {
      all.put(name, List.of(request.getParameterValues(name)));
      assertThat(request.getParameter(name)).isEqualTo(request.getParameterValues(name)[0]);
      assertThat(request.getParameterMap().get(name)).isEqualTo(request.getParameterValues(name));
    }
    return all + " " + request.getParameter("absent");
  }

  private static HttpResponse<String> form(Server server, String key, String body)
      throws Exception {
    return server.send(
        server
            .request("/orders?a=query&b=%C3%A4")
            .header("Idempotency-Key", key)
            .header("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
            .POST(BodyPublishers.ofString(body)));
  }

  @InEachContainer
  void the_parameters_of_a_form_follow_those_of_the_query(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print(parameters(request));
        };
    String body = "a=form&a=again&c=1+2%26%E2%82%AC&empty=&bare&%C3%B6=x";
    String plain;
    try (Server server = Server.plain(kind, null, null, handler)) {
      plain = form(server, "k1", body).body();
    }
    assertThat(plain).contains("a=[query, form, again]").contains("c=[1 2&€]");
    try (Server server = Server.start(kind, handler)) {
      assertThat(form(server, "k1", body).body()).isEqualTo(plain);
      HttpResponse<String> retry =
          form(server, "k1", "c=1%202%26%e2%82%ac&a=form&a=again&bare&%C3%B6=x&empty=");
      assertThat(retry.body()).isEqualTo(plain);
      assertThat(form(server, "k1", "a=other").statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_form_can_be_read_as_bytes(Containers kind) throws Exception {
    Handler handler =
        (request, response) ->
            response.getOutputStream().write(request.getInputStream().readAllBytes());
    try (Server server = Server.start(kind, handler)) {
      assertThat(form(server, "k1", "a=1&b=2").body()).isEqualTo("a=1&b=2");
    }
  }

  @InEachContainer
  void text_is_read_in_the_charset_of_the_request(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print(request.getReader().readLine());
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> answer =
          server.send(
              server
                  .request("/orders")
                  .header("Idempotency-Key", "k1")
                  .header("Content-Type", "text/plain; charset=iso-8859-15")
                  .POST(BodyPublishers.ofByteArray(new byte[] {(byte) 0xa4, (byte) 0xe4})));
      assertThat(answer.body()).isEqualTo("€ä");
    }
  }

  /** Some containers take none any more once the filter has their stream. */
  @InEachContainer
  void text_is_read_in_the_charset_that_the_handler_sets(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          request.setCharacterEncoding("utf-8");
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print(request.getReader().readLine());
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(typedText(server, "text/plain", "ä€").body()).isEqualTo("ä€");
    }
  }

  @InEachContainer
  void a_form_is_read_in_the_charset_that_the_handler_sets(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          request.setCharacterEncoding("iso-8859-1");
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print(request.getParameter("b"));
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(typedText(server, "application/x-www-form-urlencoded", "b=%E4").body())
          .isEqualTo("ä");
    }
  }

  private static HttpResponse<String> typedText(Server server, String type, String text)
      throws Exception {
    return server.send(
        server
            .request("/orders")
            .header("Idempotency-Key", "k1")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString(text)));
  }

  // Bodies that somebody else reads first.

  private static Server behind(Containers kind, Filter outer, Handler handler) throws Exception {
    return Server.start(kind, List.of(outer), handler);
  }

  @InEachContainer
  void a_form_that_a_filter_outside_has_read_is_known_by_its_parameters(Containers kind)
      throws Exception {
    Filter outer =
        (request, response, chain) -> {
          assertThat(request.getParameter("a")).isNotNull();
          chain.doFilter(request, response);
        };
    Handler handler =
        (request, response) -> {
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print(parameters(request));
        };
    try (Server server = behind(kind, outer, handler)) {
      HttpResponse<String> first = form(server, "k1", "a=form&c=1&c=2");
      assertThat(first.body()).contains("a=[query, form]").contains("c=[1, 2]");
      assertThat(form(server, "k1", "c=1&c=2&a=form").body()).isEqualTo(first.body());
      assertThat(form(server, "k1", "a=form&c=2&c=1").statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_body_without_a_length_that_a_filter_outside_has_read_does_not_either(Containers kind)
      throws Exception {
    Filter reading =
        (request, response, chain) -> {
          request.setAttribute("read", request.getInputStream().readAllBytes().length);
          chain.doFilter(request, response);
        };
    try (Server server =
        Server.start(kind, List.of(reading), (request, response) -> response.setStatus(201))) {
      assertThat(postChunked(server, "k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.runs()).isZero();
    }
  }

  @InEachContainer
  void a_body_without_a_length_may_be_empty(Containers kind) throws Exception {
    try (Server server = Server.start(kind, (request, response) -> response.setStatus(201))) {
      assertThat(postChunked(server, "k1", "").statusCode()).isEqualTo(201);
      assertThat(server.runs()).isEqualTo(1);
    }
  }

  /** As many filters have it that let a body be read twice. */
  private static final class Cached extends ServletInputStream {
    private final ByteArrayInputStream bytes;

    Cached(byte[] bytes) {
      this.bytes = new ByteArrayInputStream(bytes);
    }

    @Override
    public int read() {
      return bytes.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      return bytes.read(into, offset, length);
    }

    @Override
    public boolean isFinished() {
      return bytes.available() == 0;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new UnsupportedOperationException();
    }
  }

  @InEachContainer
  void a_body_that_a_filter_outside_keeps_may_be_empty_too(Containers kind) throws Exception {
    Filter caching =
        (request, response, chain) -> {
          byte[] bytes = request.getInputStream().readAllBytes();
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public ServletInputStream getInputStream() {
                  return new Cached(bytes);
                }
              },
              response);
        };
    try (Server server =
        Server.start(
            kind,
            List.of(caching),
            (request, response) ->
                response
                    .getOutputStream()
                    .print(request.getInputStream().readAllBytes().length + " bytes"))) {
      assertThat(postChunked(server, "k1", "").body()).isEqualTo("0 bytes");
      assertThat(postChunked(server, "k2", "{}").body()).isEqualTo("2 bytes");
    }
  }

  private static HttpResponse<String> postChunked(Server server, String key, String body)
      throws Exception {
    return server.send(
        server
            .request("/orders")
            .header("Idempotency-Key", key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString(body))));
  }

  @InEachContainer
  void a_body_that_a_filter_outside_has_read_does_not_pass_for_an_empty_one(Containers kind)
      throws Exception {
    Filter outer =
        (request, response, chain) -> {
          request.getInputStream().readAllBytes();
          chain.doFilter(request, response);
        };
    try (Server server = behind(kind, outer, (request, response) -> {})) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.runs()).isZero();
    }
  }

  // Multipart.

  private static final Handler PARTS =
      (request, response) -> {
        StringBuilder seen = new StringBuilder();
        for (Part part : request.getParts()) {
          seen.append(part.getName())
              .append(' ')
              .append(part.getSubmittedFileName())
              .append(' ')
              .append(part.getSize())
              .append(' ')
              .append(new String(part.getInputStream().readNBytes(5), StandardCharsets.UTF_8))
              .append('\n');
        }
        seen.append(request.getParameter("title")).append(request.getPart("file").getSize());
        response.getOutputStream().print(seen.toString());
      };

  private static HttpResponse<String> multipart(
      Server server, String boundary, String file, boolean chunked) throws Exception {
    String body =
        """
        --%1$s\r
        Content-Disposition: form-data; name="title"\r
        \r
        hello\r
        --%1$s\r
        Content-Disposition: form-data; name="file"; filename="a.txt"\r
        Content-Type: text/plain\r
        \r
        %2$s\r
        --%1$s--\r
        """
            .formatted(boundary, file);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return server.send(
        server
            .request("/orders")
            .header("Idempotency-Key", "k1")
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            .POST(
                chunked
                    ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))
                    : BodyPublishers.ofByteArray(bytes)));
  }

  private Server withUploads(Containers kind, Handler handler) throws Exception {
    return Server.start(kind, new MemoryStore(), filter -> filter, null, uploads, handler);
  }

  @InEachContainer
  void parts_can_be_read_and_their_boundary_may_change_with_each_retry(Containers kind)
      throws Exception {
    String content = "0123456789".repeat(1000); // more than is kept in memory
    String plain;
    try (Server server = Server.plain(kind, null, uploads, PARTS)) {
      plain = multipart(server, "first", content, false).body();
    }
    assertThat(plain).contains("file a.txt 10000 01234").endsWith("hello10000");
    try (Server server = withUploads(kind, PARTS)) {
      assertThat(multipart(server, "first", content, false).body()).isEqualTo(plain);
      HttpResponse<String> retry = multipart(server, "second", content, true);
      assertThat(retry.body()).isEqualTo(plain);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(multipart(server, "first", content + "x", false).statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_multipart_body_that_the_container_does_not_parse_may_have_another_boundary_too(
      Containers kind) throws Exception {
    Handler handler =
        (request, response) ->
            response
                .getOutputStream()
                .print(request.getInputStream().readAllBytes().length + " bytes");
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = multipart(server, "first", "text", false);
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isNotEqualTo("0 bytes").endsWith(" bytes");
      assertThat(multipart(server, "first", "text", true).body()).isEqualTo(first.body());
      HttpResponse<String> retry = multipart(server, "other", "text", false);
      assertThat(retry.body()).isEqualTo(first.body());
      assertThat(multipart(server, "other", "texts", false).statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void parts_have_the_same_fingerprint_whether_the_container_parses_them_or_not(Containers kind)
      throws Exception {
    MemoryStore store = new MemoryStore();
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Server server = Server.start(kind, store, filter -> filter, null, uploads, handler)) {
      assertThat(multipart(server, "first", "text", false).statusCode()).isEqualTo(200);
      try (Server unparsed = Server.start(kind, store, filter -> filter, null, null, handler)) {
        HttpResponse<String> retry = multipart(unparsed, "other", "text", false);
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(unparsed.runs()).isZero();
      }
    }
  }

  @InEachContainer
  void the_type_of_a_body_is_part_of_what_was_asked(Containers kind) throws Exception {
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Server server = Server.start(kind, handler)) {
      assertThat(typed(server, "application/merge-patch+json").statusCode()).isEqualTo(200);
      assertThat(typed(server, "application/json").statusCode()).isEqualTo(422);
      assertThat(typed(server, "application/merge-patch+json; charset=utf-8").statusCode())
          .isEqualTo(200);
      assertThat(server.runs()).isOne();
    }
  }

  private static HttpResponse<String> typed(Server server, String type) throws Exception {
    return server.send(
        server
            .request("/orders")
            .header("Idempotency-Key", "k1")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString("{\"a\":null}")));
  }

  @InEachContainer
  void parts_over_the_limit_of_the_application_are_refused(Containers kind) throws Exception {
    try (Server server = withUploads(kind, PARTS)) {
      String content = "0123456789".repeat(11_000);
      HttpResponse<String> refused = multipart(server, "first", content, false);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("larger than the application allows");
      assertThat(server.runs()).isZero();
    }
  }

  // Limits.

  private static Server withLimit(Containers kind, int limit, Handler handler) throws Exception {
    HttpPolicy small = HttpPolicy.DEFAULT.with(p -> p.maxRequestBody(limit));
    return Server.start(kind, filter -> filter.policies(any -> small), handler);
  }

  private static HttpResponse<String> post(
      Server server, @Nullable String key, byte[] body, boolean chunked)
      throws IOException, InterruptedException {
    var request =
        server
            .request("/orders")
            .POST(
                chunked
                    ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))
                    : BodyPublishers.ofByteArray(body));
    return server.send(key == null ? request : request.header("Idempotency-Key", key));
  }

  @InEachContainer
  void a_body_over_the_limit_is_refused_and_not_run(Containers kind) throws Exception {
    Handler handler =
        (request, response) ->
            response
                .getOutputStream()
                .print(String.valueOf(request.getInputStream().readAllBytes().length));
    try (Server server = withLimit(kind, 1000, handler)) {
      for (boolean chunked : new boolean[] {false, true}) {
        HttpResponse<String> tooLarge = post(server, "k1", new byte[1001], chunked);
        assertThat(tooLarge.statusCode()).isEqualTo(413);
        assertThat(tooLarge.body()).contains("body-too-large");
      }
      assertThat(server.runs()).isZero();
      assertThat(post(server, "k1", new byte[1000], true).body()).isEqualTo("1000");
      assertThat(post(server, null, new byte[5000], true).body()).isEqualTo("5000");
      assertThat(server.runs()).isEqualTo(2);
    }
  }

  /** The head of the reply to a request whose body is under way and does not arrive. */
  private static String headBeforeTheBody(Server server, String key, int length)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nIdempotency-Key: %s\r\n\r\n";
      socket
          .getOutputStream()
          .write(request.formatted(length, key).getBytes(StandardCharsets.US_ASCII));
      StringBuilder head = new StringBuilder();
      int next;
      while (head.indexOf("\r\n\r\n") < 0 && (next = socket.getInputStream().read()) >= 0) {
        head.append((char) next);
      }
      return head.toString().toLowerCase(Locale.ROOT);
    }
  }

  @InEachContainer
  void a_reply_before_the_body_is_read_says_that_the_connection_closes(Containers kind)
      throws Exception {
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Server server = withLimit(kind, 1000, handler)) {
      assertThat(headBeforeTheBody(server, "k1", 1001))
          .startsWith("http/1.1 413")
          .contains("\r\nconnection: close\r\n");
      assertThat(headBeforeTheBody(server, "\"no end", 10))
          .startsWith("http/1.1 400")
          .contains("\r\nconnection: close\r\n");
      assertThat(headBeforeTheBody(server, "k1", 0))
          .startsWith("http/1.1 200")
          .doesNotContain("connection: close");
    }
  }
}
