package dev.once.spring.method;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.spring.Idempotent;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
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
import org.springframework.util.ReflectionUtils;

/**
 * Which methods are {@link Idempotent}, and what that means for each. Handler methods of
 * controllers are the filter's; all others are called through {@link IdempotentInterceptor}.
 */
final class IdempotentMethods {

  /** Their own beans are not annotated, nor are ours, and there are hundreds of them. */
  private static final List<String> FRAMEWORKS =
      List.of(
          "org.springframework.",
          "java.",
          "jakarta.",
          "javax.",
          "com.zaxxer.",
          "org.hibernate.",
          "dev.once.core.",
          "dev.once.stores.",
          "dev.once.spring.autoconfigure.",
          "dev.once.spring.Once");

  private static final List<String> MAPPINGS =
      List.of(
          "org.springframework.web.bind.annotation.RequestMapping",
          "org.springframework.web.service.annotation.HttpExchange");

  private final Map<Class<?>, Boolean> mentioning = new ConcurrentHashMap<>();
  private final Map<MethodClassKey, IdempotentMethod> known = new ConcurrentHashMap<>();
  private final BeanFactory beans;
  private volatile @Nullable JacksonCodecs json;

  IdempotentMethods(BeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Whether the annotation is anywhere on this class or what it inherits from. On most it is not,
   * and then their methods need not be looked at one by one.
   */
  boolean mayBeAnnotated(Class<?> type) {
    Boolean known = mentioning.get(type);
    if (known == null) {
      known = mentions(type);
      mentioning.put(type, known);
    }
    return known;
  }

  private static boolean mentions(@Nullable Class<?> type) {
    if (type == null || isOfFramework(type)) {
      return false;
    }
    if (declares(type) || mentions(type.getSuperclass())) {
      return true;
    }
    for (Class<?> each : type.getInterfaces()) {
      if (mentions(each)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfFramework(Class<?> type) {
    for (String framework : FRAMEWORKS) {
      if (type.getName().startsWith(framework)) {
        return true;
      }
    }
    return false;
  }

  private static boolean declares(Class<?> type) {
    if (AnnotatedElementUtils.isAnnotated(type, Idempotent.class)) {
      return true;
    }
    for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
      if (AnnotatedElementUtils.isAnnotated(method, Idempotent.class)) {
        return true;
      }
    }
    return false;
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
            && !ReflectionUtils.isObjectMethod(specific)
            && !isController(type);
    return inherits ? AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class) : null;
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

  JacksonCodecs json() {
    JacksonCodecs found = json;
    if (found == null) {
      found = JsonFinder.find((ListableBeanFactory) beans);
      json = found;
    }
    return found;
  }
}
