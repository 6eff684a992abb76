package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.spring.Client.Reply;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What Servlet 6.1 has in addition, on Spring Boot 4; and bodies of HTTP/2 that are not there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class Servlet61Test {

  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    context = Application.of(Orders.class).with("server.http2.enabled", "true").start();
    client = new Client(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static boolean isThere(Class<?> type, String name, Class<?>... parameters) {
    return Arrays.stream(type.getMethods())
        .anyMatch(
            method ->
                method.getName().equals(name)
                    && Arrays.equals(method.getParameterTypes(), parameters));
  }

  private static void call(Class<?> type, Object on, String name, Class<?>[] types, Object... with)
      throws IOException {
    try {
      Method method = type.getMethod(name, types);
      method.invoke(on, with);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  @RestController
  static class Orders {

    @GetMapping("/hello")
    String hello() {
      return "hello";
    }

    @PostMapping("/see-other")
    void seeOther(HttpServletResponse response) throws IOException {
      response.setHeader("X-Order", "1");
      call(
          HttpServletResponse.class,
          response,
          "sendRedirect",
          new Class<?>[] {String.class, int.class},
          "/orders/1",
          303);
    }

    @PostMapping("/with-a-body")
    void withBody(HttpServletResponse response) throws IOException {
      response.getOutputStream().print("made");
      call(
          HttpServletResponse.class,
          response,
          "sendRedirect",
          new Class<?>[] {String.class, boolean.class},
          "/orders/1",
          false);
    }

    @PostMapping("/charsets")
    void charsets(HttpServletRequest request, HttpServletResponse response) throws IOException {
      Class<?>[] types = {Charset.class};
      call(
          HttpServletRequest.class,
          request,
          "setCharacterEncoding",
          types,
          StandardCharsets.ISO_8859_1);
      call(
          HttpServletResponse.class,
          response,
          "setCharacterEncoding",
          types,
          StandardCharsets.UTF_16LE);
      response.setContentType("text/plain");
      response.getWriter().print(request.getReader().readLine());
    }

    @PostMapping("/length")
    String length(HttpServletRequest request) throws IOException {
      return request.getInputStream().readAllBytes().length + " bytes";
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static void assertReplayedAlike(String path) {
    String key = newKey();
    Reply first = client.post(path, key, "{}");
    Reply retry = client.post(path, key, "{}");
    assertThat(first.isReplay()).isFalse();
    assertThat(retry.isReplay()).isTrue();
    assertThat(retry.status()).isEqualTo(first.status());
    assertThat(retry.body()).isEqualTo(first.body());
    for (String name : new String[] {"Location", "X-Order", "Content-Type"}) {
      assertThat(retry.header(name)).as(name).isEqualTo(first.header(name));
    }
  }

  @Test
  void a_redirect_with_a_status_is_replayed_as_it_was() {
    assumeTrue(
        isThere(HttpServletResponse.class, "sendRedirect", String.class, int.class),
        "Servlet 6.1 is not there");
    assertReplayedAlike("/see-other");
    assertThat(client.post("/see-other", newKey(), "{}").header("Location")).hasValue("/orders/1");
  }

  @Test
  void a_redirect_that_keeps_its_body_is_replayed_as_it_was() {
    assumeTrue(
        isThere(HttpServletResponse.class, "sendRedirect", String.class, boolean.class),
        "Servlet 6.1 is not there");
    assertReplayedAlike("/with-a-body");
    assertThat(client.post("/with-a-body", newKey(), "{}").body()).isEqualTo("made");
  }

  @Test
  void a_charset_may_be_an_object() {
    assumeTrue(
        isThere(HttpServletResponse.class, "setCharacterEncoding", Charset.class),
        "Servlet 6.1 is not there");
    String key = newKey();
    Reply first = client.post("/charsets", key, "\"\u00e9\"");
    Reply retry = client.post("/charsets", key, "\"\u00e9\"");
    assertThat(first.body()).isEqualTo("\"\u00c3\u00a9\""); // two bytes of UTF-8, each a character
    assertThat(retry.isReplay()).isTrue();
    assertThat(retry.body()).isEqualTo(first.body());
  }

  @Test
  void over_http2_a_body_without_a_length_may_be_empty() throws Exception {
    String root = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    http.send(HttpRequest.newBuilder(URI.create(root + "/hello")).build(), BodyHandlers.ofString());
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(root + "/length"))
            .header("Idempotency-Key", newKey())
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.fromPublisher(BodyPublishers.noBody()))
            .build();
    HttpResponse<String> first = http.send(request, BodyHandlers.ofString());
    assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("0 bytes");
    assertThat(http.send(request, BodyHandlers.ofString()).headers().map())
        .containsKey("idempotent-replayed");
  }
}
