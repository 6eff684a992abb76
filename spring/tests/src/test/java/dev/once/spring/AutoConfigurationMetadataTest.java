package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** By this file Boot leaves out what does not apply, without a look at the class. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AutoConfigurationMetadataTest {

  @Test
  void the_file_says_what_the_annotations_say() throws Exception {
    Map<String, Set<String>> annotated = new TreeMap<>();
    for (String name : ours()) {
      AnnotationMetadata metadata =
          new SimpleMetadataReaderFactory().getMetadataReader(name).getAnnotationMetadata();
      annotated.put(name, Set.of());
      Class<?> order = AutoConfiguration.class;
      put(annotated, name + ".AutoConfigureAfter", metadata, order, "after", "afterName");
      put(annotated, name + ".AutoConfigureBefore", metadata, order, "before", "beforeName");
      Class<?> onClass = ConditionalOnClass.class;
      put(annotated, name + ".ConditionalOnClass", metadata, onClass, "value", "name");
      Map<String, Object> web =
          metadata.getAnnotationAttributes(ConditionalOnWebApplication.class.getName());
      if (web != null) {
        String type = String.valueOf(web.get("type"));
        annotated.put(
            name + ".ConditionalOnWebApplication", type.equals("ANY") ? Set.of() : Set.of(type));
      }
    }
    assertThat(file()).isEqualTo(annotated);
  }

  private static void put(
      Map<String, Set<String>> all,
      String key,
      AnnotationMetadata metadata,
      Class<?> annotation,
      String classes,
      String names) {
    Map<String, Object> attributes = metadata.getAnnotationAttributes(annotation.getName(), true);
    if (attributes != null) {
      Set<String> named = new TreeSet<>(List.of((String[]) attributes.get(classes)));
      named.addAll(List.of((String[]) attributes.get(names)));
      if (!named.isEmpty()) {
        all.put(key, named);
      }
    }
  }

  private static List<String> ours() {
    return ImportCandidates.load(AutoConfiguration.class, OnceProperties.class.getClassLoader())
        .getCandidates()
        .stream()
        .filter(name -> name.startsWith("dev.once."))
        .toList();
  }

  private static Map<String, Set<String>> file() throws IOException {
    Properties properties = new Properties();
    for (var urls =
            OnceProperties.class
                .getClassLoader()
                .getResources("META-INF/spring-autoconfigure-metadata.properties");
        urls.hasMoreElements(); ) {
      try (InputStream in = urls.nextElement().openStream()) {
        properties.load(in);
      }
    }
    return properties.stringPropertyNames().stream()
        .filter(name -> name.startsWith("dev.once."))
        .collect(
            Collectors.toMap(
                name -> name,
                name ->
                    properties.getProperty(name).isEmpty()
                        ? Set.of()
                        : Set.of(properties.getProperty(name).split(","))));
  }
}
