package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fence;
import dev.once.core.Once;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.RoutePattern;
import dev.once.http.semantics.Routes;
import dev.once.http.servlet.Container.Application;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The snippets of {@code docs/servlet.md}: each is here, word for word, and runs. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class GuideTest {

  private static final Path GUIDE = Path.of("../../docs/servlet.md");
  private static final Path SELF = Path.of("src/test/java/dev/once/http/servlet/GuideTest.java");

  private static void register(ServletContext context, Once once) {
    // snippet: register
    FilterRegistration.Dynamic filter = context.addFilter("once", OnceFilter.builder(once).build());
    filter.setAsyncSupported(true);
    filter.addMappingForUrlPatterns(
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
    // end
  }

  private static OnceFilter configured(Once once) {
    // snippet: configure
    Routes routes =
        new Routes(
            HttpProfile.IETF.policy(),
            List.of(
                new Routes.Route(
                    RoutePattern.parse("POST /payments/**"), HttpProfile.STRICT.policy())));
    OnceFilter filter =
        OnceFilter.builder(once)
            .routes(routes)
            .scopes(request -> Scope.of(tenant(request), user(request)))
            .docs(URI.create("/docs/idempotency"))
            .build();
    // end
    return filter;
  }

  private static long fence(HttpServletRequest request) {
    // snippet: fence
    Optional<Fence> fence = OnceFilter.execution(request).flatMap(run -> run.fence());
    // end
    return fence.map(Fence::value).orElse(0L);
  }

  private static String tenant(HttpServletRequest request) {
    return String.valueOf(request.getHeader("X-Tenant"));
  }

  private static String user(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    return principal == null ? "" : principal.getName();
  }

  private static int post(int port, String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .POST(BodyPublishers.ofString("{}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).statusCode();
  }

  @Test
  void a_filter_registered_as_the_guide_says_runs_once() throws Exception {
    Handler.Counting servlet =
        new Handler.Counting((request, response) -> assertThat(fence(request)).isPositive());
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    server.addConnector(connector);
    try (Once once = Once.builder(new MemoryStore()).build()) {
      ServletContextHandler context = new ServletContextHandler("/");
      context.addServlet(new ServletHolder(servlet), "/*");
      context.addServletContainerInitializer(
          (classes, initializing) -> register(initializing, once));
      server.setHandler(context);
      server.start();
      assertThat(post(connector.getLocalPort(), "/orders", "Idempotency-Key", "k1")).isEqualTo(200);
      assertThat(post(connector.getLocalPort(), "/orders", "Idempotency-Key", "k1")).isEqualTo(200);
      assertThat(servlet.runs()).isOne();
    } finally {
      server.stop();
    }
  }

  @InEachContainer
  void a_filter_configured_as_the_guide_says_asks_for_keys_of_payments(Containers kind)
      throws Exception {
    Handler.Counting servlet = new Handler.Counting((request, response) -> {});
    try (Once once = Once.builder(new MemoryStore()).build();
        Container container =
            kind.start(new Application(List.of(configured(once)), servlet, null, null))) {
      assertThat(post(container.port(), "/payments/1")).isEqualTo(400);
      assertThat(post(container.port(), "/orders")).isEqualTo(200);
      for (String tenant : List.of("a", "b", "a")) {
        post(container.port(), "/payments/1", "Idempotency-Key", "k1", "X-Tenant", tenant);
      }
      assertThat(servlet.runs()).isEqualTo(3);
    }
  }

  @Test
  void the_guide_has_these_snippets() throws IOException {
    String guide = Files.readString(GUIDE);
    String self = Files.readString(SELF);
    for (String name : List.of("register", "configure", "fence")) {
      int start = self.indexOf("// snippet: " + name) + ("// snippet: " + name).length() + 1;
      String snippet =
          self.substring(start, self.indexOf("    // end", start))
              .lines()
              .map(line -> line.substring(4) + "\n")
              .collect(Collectors.joining());
      assertThat(guide).contains("\n" + snippet + "```"); // the imports are before it
    }
  }
}
