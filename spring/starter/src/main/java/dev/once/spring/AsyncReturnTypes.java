package dev.once.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/** Return types of methods that return before the work is done, such as futures. */
public final class AsyncReturnTypes {

  /** By name: most of them need not be there. */
  private static final List<String> NAMES =
      List.of(
          "org.reactivestreams.Publisher",
          "java.util.concurrent.Future",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Callable",
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

  private static final String ENTITY = "org.springframework.http.HttpEntity";

  private AsyncReturnTypes() {}

  /** Which promise this type is; null if it is a value. */
  public static @Nullable String nameOf(Class<?> type) {
    return NAMES.stream().filter(name -> isA(type, name)).findFirst().orElse(null);
  }

  /** By which type a handler of Spring MVC answers later; null if it answers when it returns. */
  public static @Nullable String typeOf(Method handler, Class<?> controller) {
    if (KotlinDetector.isSuspendingFunction(handler)) {
      return "suspend";
    }
    ResolvableType type = ResolvableType.forMethodReturnType(handler, controller);
    while (isA(type.toClass(), ENTITY)) {
      type = type.getGeneric();
    }
    Class<?> plain = type.toClass();
    boolean later =
        nameOf(plain) != null
            || ReactiveAdapterRegistry.getSharedInstance().getAdapter(plain) != null;
    return later ? plain.getName() : null;
  }

  private static boolean isA(@Nullable Class<?> type, String name) {
    if (type == null) {
      return false;
    }
    if (type.getName().equals(name) || isA(type.getSuperclass(), name)) {
      return true;
    }
    for (Class<?> parent : type.getInterfaces()) {
      if (isA(parent, name)) {
        return true;
      }
    }
    return false;
  }
}
