package dev.once.http.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

final class JettyContainer implements Container {

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server, 1, 1);

  JettyContainer(Application application) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder servlet = new ServletHolder("servlet", application.servlet());
    servlet.setAsyncSupported(true);
    if (application.uploads() != null) {
      servlet
          .getRegistration()
          .setMultipartConfig(
              new MultipartConfigElement(application.uploads().toString(), 100_000, 200_000, 1000));
    }
    context.addServlet(servlet, "/*");
    for (Filter filter : application.filters()) {
      FilterHolder holder = new FilterHolder(filter);
      holder.setAsyncSupported(true);
      context.addFilter(holder, "/*", EnumSet.copyOf(application.dispatches()));
    }
    if (application.errorPage() != null) {
      ErrorPageErrorHandler pages = new ErrorPageErrorHandler();
      pages.addErrorPage(ErrorPageErrorHandler.GLOBAL_ERROR_PAGE, application.errorPage());
      context.setErrorHandler(pages);
    }
    server.setHandler(new ReadsTheRest(context));
    server.start();
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }

  /**
   * Reads what a servlet left of a body. Without this Jetty closes the connection if the rest is
   * still under way, with no word in its reply, and the client's next request fails.
   */
  private static final class ReadsTheRest extends Handler.Wrapper {

    ReadsTheRest(Handler handler) {
      super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      Callback after =
          Callback.from(() -> Content.Source.consumeAll(request, callback), callback::failed);
      return super.handle(request, response, after);
    }
  }
}
