package dev.once.http.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request that the container is about to take back, for a handler that goes on: it has
 * the answers to the questions that a request can be asked without arguments, and its header fields
 * and attributes. Containers use the same object for the next request, of another user.
 *
 * <p>What cannot be copied (parts, roles, dispatchers) is an {@link IllegalStateException}.
 */
final class DetachedRequest {

  /** They do something, or give what belongs to the container. */
  private static final Set<String> NOT_COPIED =
      Set.of(
          "getInputStream",
          "getReader",
          "getParts",
          "getAsyncContext",
          "getSession",
          "getAttributeNames");

  private final Map<String, @Nullable Object> answers = new HashMap<>();
  private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final Map<String, Object> attributes = new ConcurrentHashMap<>();
  private final @Nullable HttpSession session;

  private DetachedRequest(HttpServletRequest request) {
    for (Method method : HttpServletRequest.class.getMethods()) {
      String name = method.getName();
      boolean asks = name.startsWith("get") || name.startsWith("is");
      if (asks && method.getParameterCount() == 0 && !NOT_COPIED.contains(name)) {
        ask(request, method);
      }
    }
    for (String name : Collections.list(request.getHeaderNames())) {
      fields.put(name, Collections.list(request.getHeaders(name)));
    }
    for (String name : Collections.list(request.getAttributeNames())) {
      Object value = request.getAttribute(name);
      if (value != null) {
        attributes.put(name, value);
      }
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

  /** What it does not know then, nobody will. */
  private void ask(HttpServletRequest request, Method method) {
    try {
      Object answer = method.invoke(request);
      if (answer instanceof Enumeration<?> all) {
        answer = Collections.list(all);
      } else if (answer instanceof Map<?, ?> all) {
        answer = new LinkedHashMap<>(all);
      }
      answers.put(method.getName(), answer);
    } catch (IllegalAccessException | InvocationTargetException e) {
      // Not to be had: it is not among the answers.
    }
  }

  private @Nullable Object call(Object proxy, Method method, Object @Nullable [] arguments) {
    String name = method.getName();
    int count = arguments == null ? 0 : arguments.length;
    Object first = count == 0 || arguments == null ? null : arguments[0];
    if (count == 0 && answers.containsKey(name)) {
      return again(method, answers.get(name));
    }
    return switch (name) {
      case "getSession" -> session;
      case "getAttributeNames" -> Collections.enumeration(attributes.keySet());
      case "getAttribute" -> attributes.get(String.valueOf(first));
      case "removeAttribute" -> {
        attributes.remove(String.valueOf(first));
        yield null;
      }
      case "setAttribute" -> {
        set(String.valueOf(first), arguments == null ? null : arguments[1]);
        yield null;
      }
      case "getHeader" -> field(first);
      case "getHeaders" ->
          Collections.enumeration(fields.getOrDefault(String.valueOf(first), List.of()));
      case "getIntHeader" -> field(first) == null ? -1 : Integer.parseInt(field(first));
      case "getDateHeader" -> field(first) == null ? -1L : millis(field(first));
      case "equals" -> proxy == first;
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "a request that is over";
      default ->
          throw new IllegalStateException(
              name + ": the request is over (expected: before its timeout)");
    };
  }

  private static @Nullable Object again(Method method, @Nullable Object answer) {
    return method.getReturnType() == Enumeration.class && answer instanceof Collection<?> all
        ? Collections.enumeration(all)
        : answer;
  }

  private void set(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
    } else {
      attributes.put(name, value);
    }
  }

  private @Nullable String field(@Nullable Object name) {
    List<String> values = fields.getOrDefault(String.valueOf(name), List.of());
    return values.isEmpty() ? null : values.get(0);
  }

  private static long millis(@Nullable String date) {
    return ZonedDateTime.parse(
            String.valueOf(date), DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.US))
        .toInstant()
        .toEpochMilli();
  }
}
