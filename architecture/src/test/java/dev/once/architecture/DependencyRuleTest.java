package dev.once.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Holds the direction of the dependencies between the modules: adapters and stores point at core,
 * core points at nothing.
 *
 * <p>A module is known by its root package, which follows its folder: {@code stores/jdbc} is {@code
 * dev.once.stores.jdbc}.
 */
class DependencyRuleTest {

  private static final String CORE = "dev.once.core";

  /** The packages that users meet under a shorter name than their folder's. */
  private static final Map<String, String> NAMED_FOR_USERS =
      Map.of("testing.kit", "test", "spring.starter", "spring");

  /** Reads the reports of all modules, of this one too, and so is built after it. */
  private static final String BUILT_LAST = "testing/summary";

  /** The modules that have main code, found in the source tree, not listed by hand. */
  private static final List<String> MODULES = rootPackagesOfModulesWithMainCode();

  private static final JavaClasses MAIN_CODE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.once");

  @Test
  @DisplayName("every module with main code is under these rules")
  void every_module_with_main_code_is_under_these_rules() {
    assertThat(MODULES).contains(CORE);
    assertThat(MODULES)
        .allSatisfy(
            module ->
                assertThat(MAIN_CODE)
                    .as(
                        "classes of %s (expected: at least one; is the module a dependency in"
                            + " architecture/pom.xml, and its package named after its folder?)",
                        module)
                    .anyMatch(type -> isIn(module, type) && !isPackageInfo(type)));
    assertThat(MAIN_CODE)
        .as("classes outside the root package of every module")
        .allSatisfy(type -> assertThat(MODULES).anyMatch(module -> isIn(module, type)));
  }

  @Test
  @DisplayName("core depends on the JDK, SLF4J and JSpecify only")
  void core_depends_on_the_jdk_slf4j_and_jspecify_only() {
    classes()
        .that(resideInAPackage("dev.once.core.."))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("dev.once.core..", "java..", "org.slf4j..", "org.jspecify.."))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("codecs depend on core and their library only")
  void codecs_depend_on_core_and_their_library_only() {
    classes()
        .that(resideInAPackage("dev.once.codecs.jackson.."))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "dev.once.codecs.jackson..",
                "dev.once.core",
                "java..",
                "com.fasterxml.jackson..",
                "tools.jackson..",
                "org.jspecify.."))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("a store depends on core and on no other module of ours")
  void a_store_depends_on_core_and_on_no_other_module_of_ours() {
    noClasses()
        .that(resideInAPackage("dev.once.stores.."))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.once..")
                .and(not(resideInAnyPackage("dev.once.core..", "dev.once.stores.."))))
        .allowEmptyShould(!hasModuleUnder("dev.once.stores"))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("a store knows no web, RPC, messaging or application framework")
  void a_store_knows_no_web_rpc_messaging_or_application_framework() {
    noClasses()
        .that(resideInAPackage("dev.once.stores.."))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "java.net.http..",
                "com.sun.net.httpserver..",
                "jakarta..",
                "javax.servlet..",
                "io.vertx..",
                "io.undertow..",
                "org.springframework..",
                "io.grpc..",
                "org.apache.kafka..",
                "com.rabbitmq..",
                "io.micrometer..",
                "org.junit.."))
        .allowEmptyShould(!hasModuleUnder("dev.once.stores"))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("no main code but the TCK's own uses the TCK")
  void no_main_code_but_the_tcks_own_uses_the_tck() {
    noClasses()
        .that(not(resideInAPackage("dev.once.tck..")))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.once.tck.."))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("the test kit stands on core alone, and no main code uses it")
  void the_test_kit_stands_on_core_alone_and_no_main_code_uses_it() {
    noClasses()
        .that(not(resideInAPackage("dev.once.test..")))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.once.test.."))
        .check(MAIN_CODE);
    noClasses()
        .that(resideInAPackage("dev.once.test.."))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.once..")
                .and(not(resideInAnyPackage("dev.once.core..", "dev.once.test.."))))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("of another module only what its module-info exports is used")
  void of_another_module_only_what_its_module_info_exports_is_used() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();
    classes().should(new UseOfExports(UseOfExports.ofModulesUnder(root))).check(MAIN_CODE);
  }

  @Test
  @DisplayName("there are no cycles between the modules")
  void there_are_no_cycles_between_the_modules() {
    slices().assignedFrom(BY_MODULE).should().beFreeOfCycles().check(MAIN_CODE);
  }

  @Test
  @DisplayName("what a key means over HTTP is said without a server, and stands on core alone")
  void what_a_key_means_over_http_is_said_without_a_server() {
    classes()
        .that(resideInAPackage("dev.once.http.semantics.."))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "dev.once.http.semantics..",
                "dev.once.core..",
                "java..",
                "com.fasterxml.jackson.core..",
                "org.slf4j..",
                "org.jspecify.."))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("the conformance suite knows nothing of Once: it can be pointed at any server")
  void the_conformance_suite_knows_nothing_of_once() {
    noClasses()
        .that(resideInAPackage("dev.once.http.conformance.."))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.once..")
                .and(not(resideInAPackage("dev.once.http.conformance.."))))
        .check(MAIN_CODE);
  }

  @Test
  @DisplayName("what applications write stands alone in the starter, and its parts have no cycles")
  void the_parts_of_the_starter_have_no_cycles() {
    noClasses()
        .that(resideInAPackage("dev.once.spring"))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.once.spring.*.."))
        .check(MAIN_CODE);
    slices().matching("dev.once.spring.(*)..").should().beFreeOfCycles().check(MAIN_CODE);
  }

  private static final SliceAssignment BY_MODULE =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return type.getPackageName().startsWith("dev.once")
              ? SliceIdentifier.of(moduleOf(type))
              : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
          return "modules";
        }
      };

  private static String moduleOf(JavaClass type) {
    return MODULES.stream()
        .filter(module -> isIn(module, type))
        .findFirst()
        .orElseThrow(
            () -> new AssertionError(type.getName() + " (expected: in one of " + MODULES + ")"));
  }

  private static boolean hasModuleUnder(String packageName) {
    return MODULES.stream().anyMatch(module -> module.startsWith(packageName + "."));
  }

  private static boolean isIn(String module, JavaClass type) {
    return type.getPackageName().equals(module) || type.getPackageName().startsWith(module + ".");
  }

  private static boolean isPackageInfo(JavaClass type) {
    return type.getSimpleName().equals("package-info");
  }

  /** Tests run in the folder of their module, so the modules are beside and below its parent. */
  private static List<String> rootPackagesOfModulesWithMainCode() {
    Path root = Path.of("").toAbsolutePath().getParent();
    try (Stream<Path> found = Files.find(root, 3, (path, a) -> path.endsWith("pom.xml"))) {
      return found
          .map(Path::getParent)
          .filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
          .filter(folder -> !folder.endsWith(BUILT_LAST))
          .map(folder -> root.relativize(folder).toString().replaceAll("[/\\\\]", "."))
          .map(folder -> "dev.once." + NAMED_FOR_USERS.getOrDefault(folder, folder))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
