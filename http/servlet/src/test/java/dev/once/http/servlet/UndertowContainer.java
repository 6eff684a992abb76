package dev.once.http.servlet;

import io.undertow.Undertow;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.api.FilterInfo;
import io.undertow.servlet.api.ServletInfo;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import java.net.InetSocketAddress;

final class UndertowContainer implements Container {

  private final DeploymentManager manager;
  private final Undertow undertow;

  UndertowContainer(Application application) throws Exception {
    ServletInfo servlet =
        new ServletInfo(
                "servlet",
                application.servlet().getClass(),
                new ImmediateInstanceFactory<>(application.servlet()))
            .addMapping("/*")
            .setAsyncSupported(true);
    if (application.uploads() != null) {
      servlet.setMultipartConfig(
          new MultipartConfigElement(application.uploads().toString(), 100_000, 200_000, 1000));
    }
    DeploymentInfo deployment =
        Servlets.deployment()
            .setClassLoader(UndertowContainer.class.getClassLoader())
            .setContextPath("/")
            .setDeploymentName("test")
            .addServlet(servlet);
    int number = 0;
    for (Filter filter : application.filters()) {
      String name = "filter" + number++;
      deployment.addFilter(
          new FilterInfo(name, filter.getClass(), new ImmediateInstanceFactory<>(filter))
              .setAsyncSupported(true));
      for (DispatcherType type : application.dispatches()) {
        deployment.addFilterUrlMapping(name, "/*", type);
      }
    }
    if (application.errorPage() != null) {
      deployment.addErrorPage(Servlets.errorPage(application.errorPage()));
    }
    manager = Servlets.newContainer().addDeployment(deployment);
    manager.deploy();
    undertow =
        Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(manager.start()).build();
    undertow.start();
  }

  @Override
  public int port() {
    return ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
  }

  @Override
  public void close() throws Exception {
    undertow.stop();
    manager.stop();
    manager.undeploy();
  }
}
