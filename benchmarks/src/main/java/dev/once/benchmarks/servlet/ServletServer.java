package dev.once.benchmarks.servlet;

import dev.once.core.Once;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumSet;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/** An echo servlet in a process of its own: {@code jetty|tomcat PORT plain|filter}. */
public final class ServletServer {

  private ServletServer() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn"); // as in production
    int port = Integer.parseInt(arguments[1]);
    OnceFilter filter = arguments[2].equals("filter") ? filter() : null;
    if (arguments[0].equals("jetty")) {
      jetty(port, filter);
    } else {
      tomcat(port, filter);
    }
  }

  /** Answers are kept for a short time, so that they fit into memory. */
  private static OnceFilter filter() {
    Once once = Once.builder(new MemoryStore()).purgeInterval(Duration.ofSeconds(5)).build();
    HttpPolicy brief =
        HttpPolicy.DEFAULT.with(
            http ->
                http.policy(
                    HttpPolicy.DEFAULT.policy().with(p -> p.retention(Duration.ofSeconds(10)))));
    return OnceFilter.builder(once).policies(any -> brief).build();
  }

  private static final class Echo extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      byte[] body = request.getInputStream().readAllBytes();
      response.setStatus(HttpServletResponse.SC_CREATED);
      response.setContentType("application/json");
      response.getOutputStream().write(body);
    }
  }

  private static void jetty(int port, @Nullable OnceFilter filter) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(new ServletHolder(new Echo()), "/*");
    if (filter != null) {
      FilterHolder holder = new FilterHolder(filter);
      holder.setAsyncSupported(true);
      context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    }
    server.setHandler(context);
    server.start();
  }

  private static void tomcat(int port, @Nullable OnceFilter filter) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("once-tomcat").toString());
    tomcat.setPort(port);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "echo", new Echo());
    context.addServletMappingDecoded("/*", "echo");
    if (filter != null) {
      FilterDef definition = new FilterDef();
      definition.setFilterName("once");
      definition.setFilter(filter);
      definition.setAsyncSupported("true");
      context.addFilterDef(definition);
      FilterMap map = new FilterMap();
      map.setFilterName("once");
      map.addURLPattern("/*");
      map.setDispatcher("REQUEST");
      map.setDispatcher("ASYNC");
      context.addFilterMap(map);
    }
    tomcat.start();
    tomcat.getServer().await();
  }
}
