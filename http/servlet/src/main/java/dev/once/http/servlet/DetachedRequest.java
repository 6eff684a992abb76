package dev.once.http.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request that the container is about to take back, for a handler that goes on: it has
 * what the getters without arguments return, and its header fields and attributes. Containers use
 * the same object for the next request, of another user.
 *
 * <p>What cannot be copied (parts, roles, dispatchers) is an {@link IllegalStateException}.
 */
final class DetachedRequest {

  /** They do something, return an object of the container, or are copied in another way below. */
  private static final Set<String> NOT_COPIED =
      Set.of(
          "getInputStream",
          "getReader",
          "getParts",
          "getAsyncContext",
          "getSession",
          "getAttributeNames",
          "getLocalName",
          "getRemoteHost");

  private static final int MAX_TRIES = 100;

  /** A field as a list, as a date and as a number; the last two null if it is none. */
  private record Field(List<String> values, @Nullable Long date, @Nullable Integer number) {
    static final Field NONE = new Field(List.of(), -1L, -1);

    @Nullable String first() {
      return values.isEmpty() ? null : values.get(0);
    }

    <T> T as(String type, @Nullable T value) {
      if (value == null) {
        throw new NumberFormatException("header: " + first() + " (expected: a " + type + ")");
      }
      return value;
    }
  }

  private final Map<String, @Nullable Object> copied = new HashMap<>();
  private final Map<String, Field> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final Map<String, Object> attributes = new ConcurrentHashMap<>();
  private final @Nullable HttpSession session;

  private DetachedRequest(HttpServletRequest request) {
    for (Method method : HttpServletRequest.class.getMethods()) {
      String name = method.getName();
      boolean isGetter = name.startsWith("get") || name.startsWith("is");
      if (isGetter && method.getParameterCount() == 0 && !NOT_COPIED.contains(name)) {
        copyGetter(request, method);
      }
    }
    // These would be looked up in DNS, which can take a minute.
    copied.put("getLocalName", request.getLocalAddr());
    copied.put("getRemoteHost", request.getRemoteAddr());
    for (String name : Collections.list(request.getHeaderNames())) {
      fields.put(name, field(request, name));
    }
    for (int tries = 0; tries < MAX_TRIES && !copyAttributes(request); tries++) {
      // They changed meanwhile: copy them again.
    }
    session = request.getSession(false);
  }

  static HttpServletRequest of(HttpServletRequest request) {
    DetachedRequest copy = new DetachedRequest(request);
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            DetachedRequest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, method, arguments) -> copy.call(proxy, method, arguments));
  }

  /** False if they changed meanwhile: the handler may set some, and Undertow has a plain map. */
  private boolean copyAttributes(HttpServletRequest request) {
    try {
      for (String name : Collections.list(request.getAttributeNames())) {
        set(name, request.getAttribute(name));
      }
      return true;
    } catch (ConcurrentModificationException | NoSuchElementException e) {
      return false;
    }
  }

  /** Copies what a getter without arguments returns. If it fails, there is nothing to copy. */
  private void copyGetter(HttpServletRequest request, Method method) {
    try {
      Object answer = method.invoke(request);
      if (answer instanceof Enumeration<?> all) {
        answer = Collections.list(all);
      } else if (answer instanceof Map<?, ?> all) {
        answer = new LinkedHashMap<>(all);
      }
      copied.put(method.getName(), answer);
    } catch (IllegalAccessException | InvocationTargetException e) {
      // Not copied: the handler gets an IllegalStateException.
    }
  }

  private static Field field(HttpServletRequest request, String name) {
    Long date = null;
    Integer number = null;
    try {
      date = request.getDateHeader(name);
    } catch (IllegalArgumentException e) {
      // It is none.
    }
    try {
      number = request.getIntHeader(name);
    } catch (NumberFormatException e) {
      // It is none.
    }
    return new Field(Collections.list(request.getHeaders(name)), date, number);
  }

  private @Nullable Object call(Object proxy, Method method, Object @Nullable [] arguments) {
    String name = method.getName();
    if (arguments == null && copied.containsKey(name)) {
      return freshCopy(method, copied.get(name));
    }
    String first = arguments == null ? "" : String.valueOf(arguments[0]);
    Field field = fields.getOrDefault(first, Field.NONE);
    return switch (name) {
      case "getSession" -> session(arguments == null || Boolean.TRUE.equals(arguments[0]));
      case "getAttributeNames" -> Collections.enumeration(attributes.keySet());
      case "getAttribute" -> attributes.get(first);
      case "removeAttribute" -> set(first, null);
      case "setAttribute" -> set(first, arguments == null ? null : arguments[1]);
      case "getHeader" -> field.first();
      case "getHeaders" -> Collections.enumeration(field.values());
      case "getIntHeader" -> field.as("number", field.number());
      case "getDateHeader" -> field.as("date", field.date());
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "a request that is over";
      default -> throw requestOver(name);
    };
  }

  @SuppressWarnings("JdkObsolete") // as the interface has it
  private static @Nullable Object freshCopy(Method method, @Nullable Object answer) {
    if (method.getReturnType() == Enumeration.class && answer instanceof Collection<?> all) {
      return Collections.enumeration(all);
    }
    return answer instanceof StringBuffer text ? new StringBuffer(text) : answer;
  }

  private @Nullable HttpSession session(boolean needed) {
    if (session == null && needed) {
      throw requestOver("getSession");
    }
    return session;
  }

  private @Nullable Object set(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
    } else {
      attributes.put(name, value);
    }
    return null;
  }

  private static IllegalStateException requestOver(String name) {
    return new IllegalStateException(name + ": the request is over (expected: before its timeout)");
  }
}
