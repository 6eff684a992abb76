package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.MemoryStore;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client gets of a handler is the same with the filter and without it, byte for byte. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ParityTest {

  /**
   * How the body is delimited is another matter, and time goes on. Jetty closes a connection if the
   * handler returns before the request has come: with the filter it has.
   */
  private static final Set<String> NOT_COMPARED =
      Set.of("date", "transfer-encoding", "content-length", "connection");

  /** A replay has the first besides, and never the others; Jetty says the last one with cookies. */
  private static final Set<String> NOT_REPLAYED =
      Set.of("idempotent-replayed", "set-cookie", "expires");

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static final Map<String, Handler> HANDLERS = new LinkedHashMap<>();

  static {
    HANDLERS.put("nothing at all", (request, response) -> {});
    HANDLERS.put("204", (request, response) -> response.setStatus(204));
    HANDLERS.put("304", (request, response) -> response.setStatus(304));
    HANDLERS.put("a status of its own", (request, response) -> response.setStatus(299));
    HANDLERS.put(
        "bytes without a type",
        (request, response) -> response.getOutputStream().write(new byte[] {1, 2, -1}));
    HANDLERS.put(
        "text without a type", (request, response) -> response.getWriter().print("plain ä"));
    HANDLERS.put(
        "text of a type without a charset",
        (request, response) -> {
          response.setContentType("text/html");
          response.getWriter().print("<p>ä");
        });
    HANDLERS.put(
        "JSON by a writer",
        (request, response) -> {
          response.setContentType("application/json");
          response.getWriter().print("{\"a\":\"ä\"}");
        });
    HANDLERS.put(
        "JSON by a stream",
        (request, response) -> {
          response.setContentType("application/json");
          response.getOutputStream().write("{\"a\":\"ä\"}".getBytes(StandardCharsets.UTF_8));
        });
    HANDLERS.put(
        "a charset in the type",
        (request, response) -> {
          response.setContentType("text/plain; charset=UTF-8");
          response.getWriter().print("ä € 😀");
        });
    HANDLERS.put(
        "a charset by its setter",
        (request, response) -> {
          response.setCharacterEncoding("utf-16");
          response.setContentType("text/plain");
          response.getWriter().print("ä € 😀");
        });
    HANDLERS.put(
        "a charset that comes too late",
        (request, response) -> {
          response.setContentType("text/plain");
          response.getWriter().print("ä");
          response.setCharacterEncoding("utf-8");
        });
    HANDLERS.put(
        "a locale",
        (request, response) -> {
          response.setContentType("text/plain");
          response.setLocale(Locale.GERMANY);
          response.getWriter().print("ä");
        });
    HANDLERS.put(
        "many headers",
        (request, response) -> {
          response.addHeader("X-Many", "a");
          response.addHeader("X-Many", "b");
          response.setHeader("X-One", "a");
          response.setHeader("X-One", "b");
          response.setIntHeader("X-Int", 7);
          response.setDateHeader("X-Date", 0);
          response.addDateHeader("X-Date", 1_000_000_000_000L);
          response.setHeader("ETag", "\"v1\"");
          response.addCookie(new Cookie("session", "secret"));
          response.getOutputStream().print("x");
        });
    HANDLERS.put(
        "a length",
        (request, response) -> {
          response.setContentLength(5);
          response.getOutputStream().print("12345");
        });
    HANDLERS.put(
        "a flush, after which headers are ignored",
        (request, response) -> {
          response.setHeader("X-Early", "yes");
          response.getOutputStream().print("one");
          response.flushBuffer();
          response.setHeader("X-Late", "no");
          response.setStatus(500);
          response.getOutputStream().print(" committed " + response.isCommitted());
        });
    HANDLERS.put(
        "a writer's flush",
        (request, response) -> {
          response.getWriter().print("one");
          response.getWriter().flush();
          response.getWriter().print(" committed " + response.isCommitted());
        });
    HANDLERS.put(
        "more than fits the buffer",
        (request, response) -> {
          response.setContentType("text/plain");
          for (int i = 0; i < 1000; i++) {
            response.getOutputStream().print("0123456789".repeat(10));
          }
          response.setHeader("X-Late", "no");
        });
    HANDLERS.put(
        "much text",
        (request, response) -> {
          response.setContentType("text/plain;charset=utf-8");
          response.getWriter().print("0123456789ä€😀".repeat(5000));
        });
    HANDLERS.put(
        "a reset",
        (request, response) -> {
          response.setStatus(500);
          response.setHeader("X-Gone", "yes");
          response.setContentType("text/plain");
          response.getWriter().print("gone");
          response.reset();
          response.getOutputStream().print("stayed " + response.getStatus());
        });
    HANDLERS.put(
        "a reset of the buffer",
        (request, response) -> {
          response.setStatus(202);
          response.setHeader("X-Stays", "yes");
          response.getWriter().print("gone");
          response.resetBuffer();
          response.getWriter().print("stayed " + response.getStatus());
        });
    HANDLERS.put(
        "a reset that comes too late",
        (request, response) -> {
          response.getOutputStream().print("sent");
          response.flushBuffer();
          try {
            response.reset();
          } catch (IllegalStateException e) {
            response.getOutputStream().print(" refused");
          }
        });
    HANDLERS.put(
        "a reset of what a larger buffer holds",
        (request, response) -> {
          response.setBufferSize(100_000);
          response.getOutputStream().print("x".repeat(50_000));
          response.reset();
          response.setStatus(202);
          response.getOutputStream().print("stayed " + (response.getBufferSize() >= 100_000));
        });
    HANDLERS.put(
        "an error after what a larger buffer holds",
        (request, response) -> {
          response.setBufferSize(100_000);
          response.getOutputStream().print("x".repeat(50_000));
          response.sendError(409, "taken");
        });
    HANDLERS.put(
        "stream and writer",
        (request, response) -> {
          response.getOutputStream().print("stream");
          try {
            response.getWriter();
          } catch (IllegalStateException e) {
            response.getOutputStream().print(" only");
          }
        });
    HANDLERS.put(
        "a stream that is closed",
        (request, response) -> {
          response.getOutputStream().print("closed");
          response.getOutputStream().close();
        });
    HANDLERS.put("a redirect", (request, response) -> response.sendRedirect("/done"));
    HANDLERS.put("a relative redirect", (request, response) -> response.sendRedirect("done"));
    HANDLERS.put(
        "an absolute redirect", (request, response) -> response.sendRedirect("https://a.b/c"));
    HANDLERS.put("an error", (request, response) -> response.sendError(404, "no such thing"));
    HANDLERS.put("an error without words", (request, response) -> response.sendError(503));
    HANDLERS.put(
        "an error after a header and a body",
        (request, response) -> {
          response.setHeader("X-Stays", "yes");
          response.getWriter().print("gone");
          response.sendError(409, "conflict");
        });
    HANDLERS.put(
        "an exception",
        (request, response) -> {
          throw new IllegalStateException("broken");
        });
    HANDLERS.put(
        "later",
        (request, response) -> {
          AsyncContext async = request.startAsync();
          CompletableFuture.runAsync(
              () -> {
                try {
                  HttpServletResponse late = (HttpServletResponse) async.getResponse();
                  late.setStatus(202);
                  late.setContentType("text/plain");
                  late.getWriter().print("later");
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                } finally {
                  async.complete();
                }
              });
        });
    HANDLERS.put(
        "an error after a dispatch",
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.sendError(409, "taken");
          } else {
            request.startAsync(request, response).dispatch();
          }
        });
  }

  static {
    dispatch(
        "a forward",
        (request, response) -> {
          response.setStatus(202);
          response.setHeader("X-First", "1");
          response.getWriter().print("is dropped");
          request.getRequestDispatcher("/target").forward(request, response);
        },
        (request, response) -> {
          response.setHeader("X-Target", "2");
          response.setContentType("text/plain;charset=UTF-8");
          response.getWriter().print("target ä");
        });
    dispatch(
        "a forward after bytes",
        (request, response) -> {
          response.getOutputStream().print("is dropped");
          request.getRequestDispatcher("/target").forward(request, response);
        },
        (request, response) -> response.getOutputStream().print("target"));
    dispatch(
        "a forward after bytes, to nothing",
        (request, response) -> {
          response.getOutputStream().print("is dropped");
          request.getRequestDispatcher("/target").forward(request, response);
        },
        (request, response) -> response.setStatus(202));
    dispatch(
        "a forward to bytes, after which is written",
        (request, response) -> {
          request.getRequestDispatcher("/target").forward(request, response);
          response.setStatus(500);
          response.setHeader("X-Late", "1");
          response.getOutputStream().print("late");
        },
        (request, response) -> {
          response.setStatus(201);
          response.getOutputStream().print("target");
        });
    dispatch(
        "a forward to nothing",
        (request, response) -> request.getRequestDispatcher("/target").forward(request, response),
        (request, response) -> response.setStatus(204));
    dispatch(
        "a forward to an error",
        (request, response) -> request.getRequestDispatcher("/target").forward(request, response),
        (request, response) -> response.sendError(409, "taken"));
    dispatch(
        "an include, whose fields and status do not count",
        (request, response) -> {
          response.setContentType("text/plain;charset=UTF-8");
          response.getWriter().print("before ");
          request.getRequestDispatcher("/target").include(request, response);
          response.setHeader("X-After", "1");
          response.getWriter().print(" after");
        },
        (request, response) -> {
          response.setStatus(299);
          response.setHeader("X-Included", "1");
          response.addHeader("X-Included", "2");
          response.addIntHeader("X-Number", 2);
          response.addDateHeader("X-Date", 0);
          response.addCookie(new Cookie("included", "1"));
          response.setContentType("text/html");
          response.setContentLength(1);
          response.setLocale(Locale.GERMANY);
          response.getWriter().print("included");
        });
    dispatch(
        "an include of bytes",
        (request, response) -> {
          response.setStatus(202);
          request.getRequestDispatcher("/target").include(request, response);
        },
        (request, response) -> response.getOutputStream().print("included"));
  }

  /** A handler that dispatches to "/target". */
  private static void dispatch(String name, Handler handler, Handler target) {
    HANDLERS.put(
        name,
        (request, response) -> {
          switch (request.getDispatcherType()) {
            case FORWARD, INCLUDE -> target.handle(request, response);
            default -> handler.handle(request, response);
          }
        });
  }

  static Stream<Arguments> cases() {
    return Stream.of(Containers.values())
        .flatMap(
            kind ->
                HANDLERS.keySet().stream()
                    .filter(
                        name ->
                            kind != Containers.TOMCAT_AS_11
                                || name.contains("forward")
                                || name.contains("include"))
                    .map(name -> Arguments.of(kind, name)));
  }

  /** The handler, and an error page. */
  private static Handler withPage(Handler handler) {
    return (request, response) -> {
      if (request.getDispatcherType() == DispatcherType.ERROR) {
        response.setContentType("text/plain");
        response
            .getWriter()
            .print("page: " + request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE));
      } else {
        handler.handle(request, response);
      }
    };
  }

  /** What is compared. */
  record Seen(int status, Map<String, List<String>> fields, @Nullable String length, String body) {

    static Seen of(HttpResponse<byte[]> response) {
      Map<String, List<String>> fields = new TreeMap<>();
      response
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!NOT_COMPARED.contains(name)) {
                  fields.put(name, normalized(name, values));
                }
              });
      return new Seen(
          response.statusCode(),
          fields,
          response.headers().firstValue("content-length").orElse(null),
          new String(response.body(), StandardCharsets.ISO_8859_1));
    }

    /** A space in a content type says nothing, and Undertow drops it at times. */
    private static List<String> normalized(String name, List<String> values) {
      return switch (name) {
        case "location" -> List.of(resolved(values));
        case "content-type" -> List.of(values.get(0).replace("; ", ";"));
        default -> values;
      };
    }

    /** Undertow sends the whole address of this server, Tomcat what it was given. */
    private static String resolved(List<String> values) {
      URI location = URI.create("http://127.0.0.1/orders").resolve(values.get(0));
      return location.getHost().equals("127.0.0.1") ? location.getPath() : values.get(0);
    }

    /** What a replay has too. */
    Seen replayable() {
      Map<String, List<String>> fewer = new TreeMap<>(fields);
      fewer.keySet().removeAll(NOT_REPLAYED);
      return new Seen(status, fewer, length, body);
    }
  }

  @ParameterizedTest(name = "{1} [{0}]")
  @MethodSource("cases")
  void the_same_with_the_filter_and_without(Containers kind, String name) throws Exception {
    Handler handler = withPage(HANDLERS.get(name));
    Seen plain;
    try (Server server = Server.plain(kind, "/error", null, handler)) {
      plain = post(server);
    }
    try (Server server =
        Server.start(kind, new MemoryStore(), f -> f.errorPages(true), "/error", null, handler)) {
      Seen first = post(server);
      Seen replayed = post(server);
      assertThat(first.status()).isEqualTo(plain.status());
      assertThat(first.body()).isEqualTo(plain.body());
      assertThat(first.fields()).isEqualTo(plain.fields());
      if (plain.length() != null) {
        assertThat(first.length()).as("Content-Length").isEqualTo(plain.length());
      }
      assertThat(replayed.fields()).containsEntry("idempotent-replayed", List.of("true"));
      assertThat(replayed.replayable()).isEqualTo(first.replayable());
      assertThat(server.runs()).isOne();
    }
  }

  private static Seen post(Server server) throws Exception {
    HttpRequest request =
        server
            .request("/orders")
            .header("Idempotency-Key", "k1")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    return Seen.of(CLIENT.send(request, BodyHandlers.ofByteArray()));
  }
}
