package dev.once.http.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Wrapper;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

final class TomcatContainer implements Container {

  private final Tomcat tomcat = new Tomcat();

  TomcatContainer(Application application, boolean endsAfterForward) throws Exception {
    Path base = Files.createTempDirectory("once-tomcat");
    base.toFile().deleteOnExit();
    tomcat.setBaseDir(base.toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    StandardContext context = (StandardContext) tomcat.addContext("", null);
    context.setSuspendWrappedResponseAfterForward(endsAfterForward);
    context.setClearReferencesObjectStreamClassCaches(false);
    context.setClearReferencesRmiTargets(false);
    context.setClearReferencesThreadLocals(false);
    Wrapper servlet = Tomcat.addServlet(context, "servlet", application.servlet());
    servlet.setAsyncSupported(true);
    if (application.uploads() != null) {
      servlet.setMultipartConfigElement(
          new MultipartConfigElement(application.uploads().toString(), 100_000, 200_000, 1000));
    }
    context.addServletMappingDecoded("/*", "servlet");
    int number = 0;
    for (Filter filter : application.filters()) {
      String name = "filter" + number++;
      FilterDef definition = new FilterDef();
      definition.setFilterName(name);
      definition.setFilter(filter);
      definition.setAsyncSupported("true");
      context.addFilterDef(definition);
      FilterMap map = new FilterMap();
      map.setFilterName(name);
      map.addURLPattern("/*");
      application.dispatches().forEach(type -> map.setDispatcher(type.name()));
      context.addFilterMap(map);
    }
    if (application.errorPage() != null) {
      ErrorPage page = new ErrorPage();
      page.setLocation(application.errorPage());
      context.addErrorPage(page);
    }
    tomcat.start();
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void close() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }
}
