package dev.once.spring.method;

import dev.once.codecs.jackson.Jackson2Codecs;
import dev.once.codecs.jackson.Jackson3Codecs;
import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.spring.OnceConfigurationException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The application's Jackson: 3 where it is there, or else 2; its own mapper where it has one. */
final class JsonFinder {

  private JsonFinder() {}

  static JacksonCodecs find(ListableBeanFactory beans) {
    if (isPresent("tools.jackson.databind.json.JsonMapper")) {
      return Jackson3.find(beans);
    }
    if (isPresent("com.fasterxml.jackson.databind.ObjectMapper")) {
      return Jackson2.find(beans);
    }
    throw new OnceConfigurationException(
        "@Idempotent on a bean method, but there is no Jackson (expected: one, to record results)",
        "Add spring-boot-starter-json, or com.fasterxml.jackson.core:jackson-databind.");
  }

  private static boolean isPresent(String name) {
    return ClassUtils.isPresent(name, JsonFinder.class.getClassLoader());
  }

  /** Only loaded where it is there. */
  private static final class Jackson3 {
    static JacksonCodecs find(ListableBeanFactory beans) {
      tools.jackson.databind.json.JsonMapper own =
          beans.getBeanProvider(tools.jackson.databind.json.JsonMapper.class).getIfUnique();
      return own == null ? new Jackson3Codecs() : new Jackson3Codecs(own);
    }
  }

  /** Only loaded where it is there. */
  private static final class Jackson2 {
    static JacksonCodecs find(ListableBeanFactory beans) {
      com.fasterxml.jackson.databind.ObjectMapper own =
          beans.getBeanProvider(com.fasterxml.jackson.databind.ObjectMapper.class).getIfUnique();
      return own == null ? new Jackson2Codecs() : new Jackson2Codecs(own);
    }
  }
}
