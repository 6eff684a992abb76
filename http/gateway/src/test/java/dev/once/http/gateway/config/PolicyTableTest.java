package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PolicyTableTest {

  @TempDir Path folder;

  private Configuration configuration() {
    return TestSources.withUpstream(folder)
        .variable("ONCE_LEASE", "1m")
        .file("routes:", "  - match: POST /payments", "    retention: 72h", "  - match: /x")
        .load();
  }

  @Test
  void each_route_says_what_it_changes() {
    String table = PolicyTable.of(configuration(), false).replace(folder + "/", "");
    assertThat(table.lines().map(String::stripTrailing))
        .containsSequence(
            "POST /payments   profile ietf, once.yaml:2",
            "* retention  72h  once.yaml:3",
            "* lease      1m   ONCE_LEASE",
            "  the rest as everything else",
            "",
            "* /x   profile ietf, once.yaml:4",
            "* lease  1m  ONCE_LEASE",
            "  the rest as everything else",
            "",
            "everything else   profile ietf",
            "  enabled           true                 profile ietf")
        .contains(
            "  upstream             http://localhost:3000  --upstream",
            "  listen               0.0.0.0:8080           default",
            "  retention         24h                  profile ietf",
            "* lease             1m                   ONCE_LEASE",
            "* is not what the profile says.");
  }

  @Test
  void all_values_of_all_routes_are_there_if_asked_for() {
    assertThat(
            PolicyTable.of(configuration(), true).lines().filter(l -> l.contains("longest-wait")))
        .hasSize(3);
  }
}
