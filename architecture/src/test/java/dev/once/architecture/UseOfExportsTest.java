package dev.once.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rule itself, on two small modules. */
class UseOfExportsTest {

  private static final String SHOP = "dev.once.architecture.fixture.shop";

  @Test
  @DisplayName("whoever uses a package that its module does not export is named, and nobody else")
  void whoever_uses_a_package_that_is_not_exported_is_named() {
    assertThatThrownBy(() -> check(Set.of(SHOP)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("BadClient")
        .hasMessageContaining(SHOP + ".hidden.Till")
        .hasMessageNotContaining("GoodClient")
        .hasMessageNotContaining("Method <" + SHOP);
  }

  @Test
  @DisplayName("an exported package may be used by all")
  void an_exported_package_may_be_used_by_all() {
    check(Set.of(SHOP, SHOP + ".hidden"));
  }

  @Test
  @DisplayName("the exports are those of the built modules")
  void the_exports_are_those_of_the_built_modules() throws Exception {
    Map<String, Set<String>> exports =
        UseOfExports.ofModulesUnder(Path.of("").toAbsolutePath().getParent());
    assertThat(exports.get("dev.once.http.semantics"))
        .contains("dev.once.http.semantics")
        .doesNotContain("dev.once.http.semantics.text");
  }

  private static void check(Set<String> exported) {
    classes()
        .should(new UseOfExports(Map.of(SHOP, exported)))
        .check(new ClassFileImporter().importPackages("dev.once.architecture.fixture"));
  }
}
