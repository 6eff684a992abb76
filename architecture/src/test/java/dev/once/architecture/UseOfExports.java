package dev.once.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * That classes use of another module what its {@code module-info} exports. The build's class path
 * lets them use all: whoever runs on the module path would be the first to see.
 */
final class UseOfExports extends ArchCondition<JavaClass> {

  /** The exported packages of a module, by its name, which is its root package. */
  private final Map<String, Set<String>> exports;

  UseOfExports(Map<String, Set<String>> exports) {
    super("use what other modules export");
    this.exports = exports;
  }

  /** The modules that are built under a folder. */
  static Map<String, Set<String>> ofModulesUnder(Path root) throws IOException {
    try (Stream<Path> found =
        Files.find(root, 5, (path, a) -> path.endsWith("target/classes/module-info.class"))) {
      return found
          .map(UseOfExports::read)
          .collect(
              Collectors.toMap(
                  ModuleDescriptor::name, UseOfExports::exported, (a, b) -> a, TreeMap::new));
    }
  }

  private static ModuleDescriptor read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return ModuleDescriptor.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> exported(ModuleDescriptor module) {
    return module.exports().stream()
        .filter(export -> !export.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void check(JavaClass type, ConditionEvents events) {
    for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
      String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
      Optional<String> owner = moduleOf(used);
      boolean allowed =
          owner.isEmpty()
              || owner.equals(moduleOf(type.getPackageName()))
              || exports.get(owner.get()).contains(used);
      if (!allowed) {
        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
      }
    }
  }

  /** Empty for what is in no module that says what it exports. */
  private Optional<String> moduleOf(String packageName) {
    return exports.keySet().stream()
        .filter(module -> packageName.equals(module) || packageName.startsWith(module + "."))
        .findFirst();
  }
}
