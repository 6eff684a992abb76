package dev.once.testing.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SummaryTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T10:00:00Z");
  private static final String PASSED = "<testcase name=\"a\"/>";
  private static final String NO_CHROMIUM =
      skipped("Assumption failed: no Chromium on the PATH; apt-get install chromium");

  @TempDir private Path project;

  @Test
  void skipped_tests_of_all_modules_are_counted_by_their_reason() throws Exception {
    report("examples/payments", "dev.once.SwaggerUiTest", 3, NO_CHROMIUM + NO_CHROMIUM);
    report("examples/payments-boot3", "dev.once.SwaggerUiTest", 3, NO_CHROMIUM);
    report("core", "dev.once.FooTest", 1, PASSED + skipped("this store is not durable"));

    assertThat(text())
        .contains("5 tests, 4 of them skipped")
        .contains("3 skipped: no Chromium on the PATH; apt-get install chromium")
        .contains("in SwaggerUiTest (examples/payments), SwaggerUiTest (examples/payments-boot3)")
        .contains("1 skipped: this store is not durable")
        .contains("in FooTest (core)");
  }

  @Test
  void a_test_that_is_skipped_without_a_reason_is_counted_too() throws Exception {
    report("core", "dev.once.FooTest", 1, "<testcase name=\"a\"><skipped/></testcase>");

    assertThat(text()).contains("1 skipped: no reason given");
  }

  /** So Surefire writes what was assumed in a test. */
  @Test
  void a_reason_in_a_stack_trace_is_counted_by_its_words() throws Exception {
    report(
        "core",
        "dev.once.FooTest",
        1,
        """
        <testcase name="a"><skipped type="org.opentest4j.TestAbortedException"><![CDATA[\
        org.opentest4j.TestAbortedException: Assumption failed: this store wakes up
        \tat dev.once.FooTest.a(FooTest.java:7)
        ]]></skipped></testcase>
        """);

    assertThat(text()).contains("1 skipped: this store wakes up\n");
  }

  @Test
  void of_many_classes_with_one_reason_the_first_are_named() throws Exception {
    for (int i = 1; i <= 6; i++) {
      report("faults", "dev.once.Faults" + i + "Test", 1, skipped("no namespaces"));
    }

    assertThat(text()).contains("6 skipped").contains("Faults4Test (faults) and 2 more");
  }

  @Test
  void the_slowest_classes_come_first() throws Exception {
    report("core", "dev.once.QuickTest", 1, PASSED);
    report("cli", "dev.once.SlowTest", 1234.5, PASSED);

    assertThat(text()).containsSubsequence("1234.5  SlowTest (cli)", "1.0  QuickTest (core)");
  }

  @Test
  void reports_of_earlier_builds_are_left_out() throws Exception {
    Path old = report("core", "dev.once.GoneTest", 1, PASSED);
    Files.setLastModifiedTime(old, FileTime.from(BEGIN.minusSeconds(1)));

    assertThat(text()).isEmpty();
  }

  private String text() throws IOException {
    return Summary.of(project, BEGIN).text();
  }

  private static String skipped(String reason) {
    return "<testcase name=\"a\"><skipped message=\"%s\"/></testcase>".formatted(reason);
  }

  private Path report(String module, String type, double seconds, String cases) throws IOException {
    Path folder = Files.createDirectories(project.resolve(module + "/target/surefire-reports"));
    String time = seconds < 1000 ? "" + seconds : "1,234.5"; // as Surefire writes thousands
    return Files.writeString(
        folder.resolve("TEST-" + type + ".xml"),
        "<testsuite name=\"%s\" time=\"%s\">%s</testsuite>".formatted(type, time, cases));
  }
}
