package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The command line, in a small heap, on what is too large for it: exit code 2, and why. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HostileInputTest {

  private static final String HEAD = "HTTP/1.1 200 OK\r\n";
  private static final String A_FIELD = "X-Filler: " + "x".repeat(1000) + "\r\n";
  private static final String CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n";

  @TempDir private Path folder;

  /** What a server sends first, and then for ever. */
  enum Attack {
    ENDLESS_BODY(HEAD + "\r\n", "x".repeat(10_000)),
    ENDLESS_HEAD(HEAD, A_FIELD),
    ENDLESS_FIELD(HEAD + "X-Filler: ", "x".repeat(10_000)),
    ENDLESS_CHUNKS(CHUNKED, "3e8\r\n" + "x".repeat(1000) + "\r\n"),
    ENDLESS_CHUNK_EXTENSION(CHUNKED + "1;", "x".repeat(10_000)),
    ENDLESS_TRAILERS(CHUNKED + "0\r\n", A_FIELD),
    ENDLESS_INTERIM_ANSWERS("", "HTTP/1.1 102 Processing\r\n\r\n");

    private final String first;
    private final String then;

    Attack(String first, String then) {
      this.first = first;
      this.then = then;
    }
  }

  private record Ended(int code, String output) {}

  private Ended run(File input, String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.once.cli.Main"));
    command.addAll(List.of(words));
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(input)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      assertThat(ended).as("ends by itself").isTrue();
      return new Ended(process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }

  private Path large() throws IOException {
    Path file = folder.resolve("large");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(300_000_000);
    }
    return file;
  }

  private static void assertRefused(Ended ended) {
    assertThat(ended.output())
        .contains("(expected: ")
        .doesNotContain("OutOfMemory")
        .doesNotContain("out of memory"); // told well, but a limit was to be met before
    assertThat(ended.output().lines()).as(ended.output()).hasSize(1);
    assertThat(ended.code()).isEqualTo(2);
  }

  @Test
  void explain_takes_no_request_of_any_size() throws Exception {
    assertRefused(run(large().toFile(), "explain"));
  }

  @Test
  void explain_takes_no_body_of_any_size() throws Exception {
    assertRefused(run(new File("/dev/null"), "explain", "-d", "@" + large(), "/payments"));
  }

  @Test
  void config_check_takes_no_file_of_any_size() throws Exception {
    assertRefused(run(new File("/dev/null"), "config", "check", large().toString()));
  }

  @ParameterizedTest
  @EnumSource
  void check_ends_on_a_server_that_does_not(Attack attack) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread attacking = new Thread(() -> serve(server, attack), "attacks");
      attacking.setDaemon(true);
      attacking.start();
      String url = "http://127.0.0.1:" + server.getLocalPort() + "/x";
      Ended ended = run(new File("/dev/null"), "check", url, "--request-timeout", "60s");
      if (attack == Attack.ENDLESS_TRAILERS) {
        assertThat(ended.code()).as("a verdict: its answer is whole before them").isEqualTo(1);
      } else {
        assertRefused(ended);
      }
      if (attack == Attack.ENDLESS_BODY || attack == Attack.ENDLESS_CHUNKS) {
        assertThat(ended.output()).contains("sent too much, body of the answer: more than 1 MB");
      }
    }
  }

  /** Each by a thread: the JDK's client sometimes neither reads nor closes one that it has kept. */
  private static void serve(ServerSocket server, Attack attack) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread sending = new Thread(() -> send(socket, attack), "attack");
        sending.setDaemon(true);
        sending.start();
      } catch (IOException e) {
        // The test is over.
      }
    }
  }

  private static void send(Socket socket, Attack attack) {
    try (socket;
        OutputStream out = socket.getOutputStream()) {
      out.write(attack.first.getBytes(StandardCharsets.ISO_8859_1));
      byte[] then = attack.then.getBytes(StandardCharsets.ISO_8859_1);
      while (true) {
        out.write(then);
      }
    } catch (IOException e) {
      // The client has left.
    }
  }
}
