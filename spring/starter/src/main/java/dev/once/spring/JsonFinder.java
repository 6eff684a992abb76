package dev.once.spring;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The application's Jackson: 3 where it is there, or else 2; its own mapper where it has one. */
final class JsonFinder {

  private JsonFinder() {}

  static Json find(ListableBeanFactory beans) {
    if (isPresent("tools.jackson.databind.json.JsonMapper")) {
      return Three.find(beans);
    }
    if (isPresent("com.fasterxml.jackson.databind.ObjectMapper")) {
      return Two.find(beans);
    }
    throw new OnceConfigurationException(
        "@Idempotent on a bean method, but there is no Jackson (expected: one, to record results)",
        "Add spring-boot-starter-json, or com.fasterxml.jackson.core:jackson-databind.");
  }

  private static boolean isPresent(String name) {
    return ClassUtils.isPresent(name, JsonFinder.class.getClassLoader());
  }

  /** Only loaded where it is there. */
  private static final class Three {
    static Json find(ListableBeanFactory beans) {
      tools.jackson.databind.json.JsonMapper own =
          beans.getBeanProvider(tools.jackson.databind.json.JsonMapper.class).getIfUnique();
      return new Jackson3Json(
          own == null ? tools.jackson.databind.json.JsonMapper.builder().build() : own);
    }
  }

  /** Only loaded where it is there. */
  private static final class Two {
    static Json find(ListableBeanFactory beans) {
      com.fasterxml.jackson.databind.ObjectMapper own =
          beans.getBeanProvider(com.fasterxml.jackson.databind.ObjectMapper.class).getIfUnique();
      return new Jackson2Json(
          own == null
              ? com.fasterxml.jackson.databind.json.JsonMapper.builder().findAndAddModules().build()
              : own);
    }
  }
}
