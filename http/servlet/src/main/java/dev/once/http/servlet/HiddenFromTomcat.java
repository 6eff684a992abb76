package dev.once.http.servlet;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * When a forward returns, Tomcat 11 looks inside of all wrappers for its own response, and ends it:
 * what is held back could not be sent any more. So it is not to find its own there; then it closes
 * the outermost one, which holds back that too.
 */
final class HiddenFromTomcat {

  private static final String OF_TOMCAT = "org.apache.catalina.connector.ResponseFacade";

  private HiddenFromTomcat() {}

  /** The same response, as another object if it is Tomcat's: others must find their own. */
  static HttpServletResponse of(HttpServletResponse response) {
    ServletResponse at = response;
    while (at instanceof ServletResponseWrapper wrapper) {
      at = wrapper.getResponse();
    }
    if (at == null || !at.getClass().getName().equals(OF_TOMCAT)) {
      return response;
    }
    return (HttpServletResponse)
        Proxy.newProxyInstance(
            HiddenFromTomcat.class.getClassLoader(),
            new Class<?>[] {HttpServletResponse.class},
            (proxy, method, arguments) -> call(response, method, arguments));
  }

  private static @Nullable Object call(
      HttpServletResponse on, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
