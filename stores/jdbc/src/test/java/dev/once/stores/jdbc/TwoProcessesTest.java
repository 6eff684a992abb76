package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TwoProcessesTest {

  @TempDir private Path folder;

  @Test
  @DisplayName("of two processes on one new file, one pays each bill and both get its answer")
  void share() throws Exception {
    Path file = folder.resolve("once.db");
    List<Process> clerks = new ArrayList<>();
    for (String name : List.of("anna", "boris")) {
      clerks.add(Processes.start(BillPayer.class, file.toString(), name));
    }
    Map<String, Integer> runs = new HashMap<>();
    Map<String, Set<String>> answers = new HashMap<>();
    for (Process clerk : clerks) {
      String output = new String(clerk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(clerk.waitFor()).isZero();
      for (String line : output.lines().toList()) {
        String[] words = line.split(" ", 3);
        assertThat(words[1]).as(line).isIn("executed", "replayed");
        runs.merge(words[0], words[1].equals("executed") ? 1 : 0, Integer::sum);
        answers.computeIfAbsent(words[0], bill -> new HashSet<>()).add(words[2]);
      }
    }
    assertThat(runs)
        .hasSize(BillPayer.BILLS)
        .allSatisfy((bill, ran) -> assertThat(ran).isEqualTo(1));
    assertThat(answers).allSatisfy((bill, given) -> assertThat(given).hasSize(1));
  }
}
