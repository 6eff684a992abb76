package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.PolicyValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReloadingFileTest {

  private static final Duration EVERY = Duration.ofMillis(10);

  @TempDir Path folder;
  private final BlockingQueue<Configuration> taken = new LinkedBlockingQueue<>();

  private static String retention(Configuration configuration) {
    return PolicyValue.RETENTION.show(configuration.settings().routes().base());
  }

  @Test
  void a_changed_file_is_read_again() throws Exception {
    TestSources sources =
        TestSources.withUpstream(folder).flag("lease", "1m").file("retention: 1h");
    try (var ignored = ReloadingFile.watch(sources.sources(), sources.load(), EVERY, taken::add)) {
      sources.file("retention: 2h", "# longer");
      Configuration later = taken.poll(300, TimeUnit.SECONDS);
      assertThat(later).isNotNull();
      assertThat(retention(later)).isEqualTo("2h");
      assertThat(PolicyValue.LEASE.show(later.settings().routes().base())).isEqualTo("1m");
    }
  }

  @Test
  void a_bad_file_changes_nothing() throws Exception {
    TestSources sources = TestSources.withUpstream(folder).file("retention: 1h");
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (var ignored =
        ReloadingFile.watch(
            sources.sources(),
            sources.load(),
            EVERY,
            later -> {
              seen.add(retention(later));
              if (retention(later).equals("2h")) {
                throw new IllegalStateException("no");
              }
              taken.add(later);
            })) {
      sources.file("retention: 2h", "# the taker fails");
      assertThat(seen.poll(300, TimeUnit.SECONDS)).isEqualTo("2h");
      sources.file("retention: soon");
      TimeUnit.MILLISECONDS.sleep(100); // nothing can be waited for: nothing is to happen
      Files.delete(folder.resolve("once.yaml"));
      TimeUnit.MILLISECONDS.sleep(100);
      for (String empty : List.of("", " \n\n", "# required: true", "---", "routes:")) {
        sources.file(empty);
        TimeUnit.MILLISECONDS.sleep(100);
      }
      assertThat(seen).isEmpty();
      sources.file("retention: 30h");
      Configuration later = taken.poll(300, TimeUnit.SECONDS);
      assertThat(later).isNotNull();
      assertThat(retention(later)).isEqualTo("30h");
    }
  }

  @Test
  void what_a_running_gateway_cannot_take_is_known() {
    TestSources sources = TestSources.withUpstream(folder).file("listen: 8000", "tenant-header: A");
    Configuration running = sources.load();
    Configuration later =
        sources
            .file("listen: 8001", "store: 'memory:'", "tenant-header: B", "retention: 1h")
            .load();
    assertThat(running.needRestart(later)).containsExactly("listen", "store");
  }
}
