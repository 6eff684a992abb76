package dev.once.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Where a property is set: a line of a file, a variable. */
final class PropertyOrigin {

  private PropertyOrigin() {}

  /** A sentence about it, to go behind another; empty if it is not known. */
  static String describe(Environment environment, String name) {
    ConfigurationPropertyName parsed = ConfigurationPropertyName.ofIfValid(name);
    if (parsed != null) {
      for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
        ConfigurationProperty property = source.getConfigurationProperty(parsed);
        if (property != null) {
          return describe(property.getOrigin());
        }
      }
    }
    return "";
  }

  static String describe(@Nullable Origin origin) {
    return origin == null ? "" : " It is set in " + origin + ".";
  }
}
