package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.stores.jdbc.Charge.End;
import dev.once.stores.jdbc.Charge.Step;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.FaultProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Charges in same-transaction mode whose process dies; this JVM is the client that tries again. The
 * ledger must be exact, and nobody may be told two things.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TransactionCrashTest {

  /** An H2 in memory dies with its process, and one in a file may lose its last commits. */
  private static final List<ShopDatabase> DURABLE =
      List.of(ShopDatabase.POSTGRESQL, ShopDatabase.MARIADB, ShopDatabase.SQLITE);

  static Stream<Arguments> deaths() {
    List<Arguments> deaths = new ArrayList<>();
    for (ShopDatabase shop : DURABLE) {
      for (Step step : Step.values()) {
        deaths.add(Arguments.of(shop, step, End.STOP));
      }
    }
    for (Step step : Step.values()) {
      deaths.add(Arguments.of(ShopDatabase.POSTGRESQL, step, End.HALT));
    }
    return deaths.stream();
  }

  @ParameterizedTest(name = "{0}, {2} at {1}")
  @MethodSource("deaths")
  @DisplayName("a process dies at a step of a charge, and the retry makes it exact")
  void dies(ShopDatabase shop, Step step, End end) throws Exception {
    Charge retry = prepare(shop);
    Process first = start(shop, 1, step, end);
    BufferedReader output = first.inputReader(StandardCharsets.UTF_8);
    List<String> told = readUntil(output, step.name());
    if (end == End.STOP) {
      first.destroyForcibly();
    }
    assertThat(first.waitFor()).isEqualTo(end == End.STOP ? 128 + 9 : Charge.EXIT_CODE);

    String answer;
    try (Connection connection = shop.connect()) {
      answer = retry.charge(connection, "charge-0");
    }
    boolean committed = step.compareTo(Step.COMMITTED) >= 0;
    assertThat(answer).endsWith("by " + (committed ? first.pid() : ProcessHandle.current().pid()));
    assertThat(told).isEqualTo(step == Step.ANSWERED ? List.of("answer 0 " + answer) : List.of());
    assertExact(shop, 1);
  }

  @ParameterizedTest(name = "{0}, after {1} answers")
  @MethodSource("moments")
  @DisplayName("a process that charges again and again is killed at any moment")
  void killed_at_any_moment(ShopDatabase shop, int answers) throws Exception {
    int charges = 50;
    Charge retry = prepare(shop);
    Process first = start(shop, charges, Step.ANSWERED, End.NONE);
    BufferedReader output = first.inputReader(StandardCharsets.UTF_8);
    List<String> told = readUntil(output, "answer " + answers + " ");
    first.toHandle().destroyForcibly(); // and what it has said can still be read
    output.lines().forEach(told::add);

    List<String> answered = new ArrayList<>();
    try (Connection connection = shop.connect()) {
      for (int i = 0; i < charges; i++) {
        answered.add("answer " + i + " " + retry.charge(connection, "charge-" + i));
      }
    }
    assertThat(told)
        .hasSizeGreaterThanOrEqualTo(answers)
        .allSatisfy(line -> assertThat(answered).anyMatch(answer -> answer.startsWith(line)));
    assertExact(shop, charges);
  }

  static Stream<Arguments> moments() {
    return DURABLE.stream()
        .flatMap(shop -> Stream.of(1, 17).map(answers -> Arguments.of(shop, answers)));
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void the_reply_to_a_commit_is_lost_and_the_retry_gets_the_answer_that_was_committed(
      ShopDatabase shop) throws Exception {
    Charge charge = prepare(shop);
    try (FaultProxy proxy = FaultProxy.to(shop.url());
        Connection connection = DatabaseServer.connect(proxy.url(shop.url()))) {
      connection.setAutoCommit(false);
      Charge unlucky = new Charge(Step.RECORDED, proxy::dropReplies);
      assertThatThrownBy(() -> unlucky.charge(connection, "charge-0"))
          .isInstanceOf(SQLException.class);
      assertThat(proxy.lostReplies()).isOne();
    }
    assertExact(shop, 1);
    try (Connection connection = shop.connect()) {
      assertThat(charge.charge(connection, "charge-0")).startsWith("charge-0 leaves 990");
    }
    assertExact(shop, 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void the_connection_is_cut_before_the_commit_and_the_retry_runs(ShopDatabase shop)
      throws Exception {
    Charge charge = prepare(shop);
    try (FaultProxy proxy = FaultProxy.to(shop.url());
        Connection connection = DatabaseServer.connect(proxy.url(shop.url()))) {
      connection.setAutoCommit(false);
      Charge unlucky = new Charge(Step.RECORDED, proxy::cut);
      assertThatThrownBy(() -> unlucky.charge(connection, "charge-0"))
          .isInstanceOf(SQLException.class);
    }
    try (Connection connection = shop.connect()) {
      charge.charge(connection, "charge-0");
    }
    assertExact(shop, 1);
  }

  private static Charge prepare(ShopDatabase shop) {
    shop.url();
    shop.empty();
    Charge.createTables(shop);
    return new Charge();
  }

  private static void assertExact(ShopDatabase shop, int charges) {
    assertThat(shop.number("SELECT count(*) FROM ledger")).isEqualTo(charges);
    assertThat(shop.number("SELECT count(DISTINCT charge) FROM ledger")).isEqualTo(charges);
    assertThat(shop.number("SELECT balance FROM accounts WHERE name = 'alice'"))
        .isEqualTo(1000 - 10 * charges);
    assertThat(shop.number("SELECT balance FROM accounts WHERE name = 'shop'"))
        .isEqualTo(10 * charges);
    assertThat(shop.records()).isEqualTo(charges);
  }

  private static Process start(ShopDatabase shop, int charges, Step step, End end)
      throws IOException {
    return Processes.start(
        Charge.class, shop.name(), shop.url(), "" + charges, step.name(), end.name());
  }

  /** The lines before the one that begins so. */
  private static List<String> readUntil(BufferedReader output, String word) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(word)) {
        return lines;
      }
      lines.add(line);
    }
    throw new AssertionError("the process ended before it said: " + word);
  }
}
