package dev.once.spring.store;

import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OnceProperties.StoreProperties;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** The application's DataSources, and which of them keeps the keys. */
final class DataSources {
  private final StoreProperties properties;
  private final ListableBeanFactory beans;

  DataSources(StoreProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
  }

  boolean areThere() {
    return !names().isEmpty();
  }

  private List<String> names() {
    return List.of(beans.getBeanNamesForType(DataSource.class, true, false));
  }

  /** The one that is named; or the only one, or the primary one. */
  DataSource get() {
    String name = properties.getDataSource();
    if (name != null) {
      if (!names().contains(name)) {
        throw new OnceConfigurationException(
            "once.store.data-source: %s (expected: one of %s)".formatted(name, names()),
            "Name a DataSource that is there.");
      }
      return beans.getBean(name, DataSource.class);
    }
    if (!areThere()) {
      throw new OnceConfigurationException(
          "There is no DataSource (expected: one, to keep keys in)",
          "Configure one by spring.datasource.url. Or: " + StoreOpener.CHOOSE);
    }
    try {
      return beans.getBean(DataSource.class);
    } catch (NoUniqueBeanDefinitionException e) {
      throw new OnceConfigurationException(
          "There are several DataSources, and none is primary: %s (expected: one to keep keys in)"
              .formatted(names()),
          "Set once.store.data-source to the name of one, mark one as @Primary, or choose"
              + " another store. "
              + StoreOpener.CHOOSE,
          e);
    }
  }

  String name() {
    String name = properties.getDataSource();
    return name != null ? name : names().size() == 1 ? names().get(0) : "that is primary";
  }
}
