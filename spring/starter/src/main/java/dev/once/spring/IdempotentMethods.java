package dev.once.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;

/**
 * Which methods are {@link Idempotent}, and what that means for each. Handler methods of
 * controllers are the filter's; all others are called through {@link IdempotentInterceptor}.
 */
final class IdempotentMethods {

  /** Their own beans are not annotated, and there are hundreds of them. */
  private static final List<String> FRAMEWORKS =
      List.of(
          "org.springframework.", "java.", "jakarta.", "javax.", "com.zaxxer.", "org.hibernate.");

  private static final List<String> MAPPINGS =
      List.of(
          "org.springframework.web.bind.annotation.RequestMapping",
          "org.springframework.web.service.annotation.HttpExchange");

  private final Map<MethodClassKey, IdempotentMethod> known = new ConcurrentHashMap<>();
  private final BeanFactory beans;
  private volatile @Nullable Json json;

  IdempotentMethods(BeanFactory beans) {
    this.beans = beans;
  }

  static boolean mayBeAnnotated(Class<?> type) {
    return FRAMEWORKS.stream().noneMatch(type.getName()::startsWith);
  }

  /** The annotation of a bean method; null if it has none, or is a handler. */
  static @Nullable Idempotent ofBeanMethod(Method method, Class<?> type) {
    Method specific = AopUtils.getMostSpecificMethod(method, type);
    Idempotent own = AnnotatedElementUtils.findMergedAnnotation(specific, Idempotent.class);
    if (own != null) {
      return isHandler(specific, type) ? null : own;
    }
    boolean inherits =
        Modifier.isPublic(specific.getModifiers())
            && !Modifier.isStatic(specific.getModifiers())
            && specific.getDeclaringClass() != Object.class
            && !isController(type);
    return inherits ? AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class) : null;
  }

  /** The annotation of a handler method, its own or its controller's; null if there is none. */
  static @Nullable Idempotent ofHandler(Method method, Class<?> type) {
    Idempotent own = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
    return own != null ? own : AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
  }

  private static boolean isHandler(Method method, Class<?> type) {
    MergedAnnotations on = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    return isController(type) && MAPPINGS.stream().anyMatch(on::isPresent);
  }

  private static boolean isController(Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
  }

  /**
   * What the annotation means.
   *
   * @throws OnceConfigurationException if it cannot be meant so
   */
  IdempotentMethod of(Method method, Class<?> type) {
    MethodClassKey key = new MethodClassKey(method, type);
    IdempotentMethod found = known.get(key);
    if (found == null) {
      Method specific = AopUtils.getMostSpecificMethod(method, type);
      Idempotent idempotent = ofBeanMethod(method, type);
      if (idempotent == null) {
        throw new IllegalStateException(method + ": not annotated (expected: @Idempotent)");
      }
      found =
          IdempotentMethod.of(
              specific,
              type,
              idempotent,
              beans.getBean(OncePolicies.class),
              beans.getBean(OnceProperties.class),
              json());
      known.put(key, found);
    }
    return found;
  }

  Json json() {
    Json found = json;
    if (found == null) {
      found = JsonFinder.find((ListableBeanFactory) beans);
      json = found;
    }
    return found;
  }
}
