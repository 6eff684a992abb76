package dev.once.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class PortsTest {

  /** Of 12,000 ports: without locks two JVMs would have some twenty in common. */
  private static final int COUNT = 500;

  @Test
  void no_port_is_given_to_two_jvms() throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classPath = System.getProperty("java.class.path");
    Process other =
        new ProcessBuilder(java.toString(), "-cp", classPath, Other.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader theirs = other.inputReader(StandardCharsets.UTF_8)) {
      Set<Integer> all = new HashSet<>();
      for (int i = 0; i < COUNT; i++) {
        all.add(Integer.valueOf(theirs.readLine()));
        all.add(Ports.free());
      }
      assertThat(all).hasSize(2 * COUNT);
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  /** A process that takes ports, and waits to be killed. */
  static final class Other {
    public static void main(String[] arguments) throws IOException {
      for (int i = 0; i < COUNT; i++) {
        System.out.println(Ports.free());
      }
      int read = System.in.read();
      throw new IllegalStateException("not killed: " + read);
    }
  }
}
