package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway leaves on the disk, and who may read it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FilesTest {

  @TempDir private Path folder;
  @TempDir private Path temporary;

  private GatewayProcess start(Upstream upstream) {
    Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
    return GatewayProcess.start(upstream.url(), folder, environment, "--log-level", "info");
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(path -> !path.equals(folder)).toList();
    }
  }

  @Test
  void nothing_is_left_in_the_temporary_folder_even_by_one_that_was_killed() throws Exception {
    try (Upstream upstream = new Upstream(201);
        GatewayProcess gateway = start(upstream)) {
      assertThat(files(temporary)).as("while it runs").isEmpty();
      gateway.kill();
      assertThat(files(temporary)).as("after a kill").isEmpty();
    }
  }

  @Test
  void its_files_are_for_their_owner_only_and_a_clean_stop_leaves_one() throws Exception {
    assumeTrue(
        Files.getFileStore(folder).supportsFileAttributeView("posix"), "files have no modes here");
    try (Upstream upstream = new Upstream(201);
        GatewayProcess gateway = start(upstream)) {
      assertThat(Client.of(gateway).post("/payments", Client.newKey()).status()).isEqualTo(201);
      assertThat(files(folder)).hasSize(3);
      for (Path file : files(folder)) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .isEqualTo("rw-------");
      }
      gateway.terminate();
      assertThat(gateway.exitCode()).isIn(0, 128 + 15);
      assertThat(files(folder)).as("no log, no index").hasSize(1);
      assertThat(files(temporary)).isEmpty();
    }
  }
}
