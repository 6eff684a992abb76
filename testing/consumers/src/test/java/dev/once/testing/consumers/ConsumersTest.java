package dev.once.testing.consumers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each published library, used as its users do, without a warning of the compiler. */
class ConsumersTest {

  @TestFactory
  Stream<DynamicContainer> each_library_is_used() throws Exception {
    List<Jdk> jdks = Jdk.found();
    return Consumers.resolved().stream()
        .map(
            consumer ->
                dynamicContainer(
                    consumer.name(),
                    jdks.stream()
                        .flatMap(
                            jdk ->
                                Stream.of(
                                    dynamicTest(
                                        "on the class path of " + jdk,
                                        () -> check(consumer, consumer.onClassPath(jdk))),
                                    dynamicTest(
                                        "on the module path of " + jdk,
                                        () -> check(consumer, consumer.onModulePath(jdk)))))));
  }

  private static void check(Consumer consumer, String output) throws Exception {
    assertThat(output).containsSubsequence(consumer.expected());
  }

  @Test
  @DisplayName("a second JDK is here to try them with")
  void a_second_jdk_is_here() throws Exception {
    List<Jdk> jdks = Jdk.found();
    assumeTrue(
        jdks.size() > 1,
        () ->
            "skipped: consumers on another JDK than %s (to try them: install one beside it, or name"
                    .formatted(jdks)
                + " one in a variable such as JAVA_HOME_25)");
    assertThat(jdks).extracting(Jdk::version).doesNotHaveDuplicates();
  }
}
