package dev.once.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class NetworkHostTest {

  private NetworkHost host;
  private RedisServer server;

  @BeforeEach
  void startServer() throws IOException {
    host = NetworkHost.start();
    server = RedisServer.start(host);
  }

  @AfterEach
  void close() throws IOException {
    if (server != null) {
      server.close();
    }
    if (host != null) {
      host.close();
    }
  }

  @Test
  void a_request_that_is_lost_arrives_when_the_link_is_healed() throws IOException {
    NetworkLink link = host.link();
    try (Socket client = connect(link)) {
      link.loseRequests();
      increment(client);
      assertThat(link.undelivered()).isEqualTo(1);
      assertThat(count()).isEmpty();
      link.heal();
      assertThat(reply(client)).isEqualTo(":1");
    }
  }

  @Test
  void a_request_whose_connection_was_closed_here_arrives_even_so() throws IOException {
    NetworkLink link = host.link();
    try (Socket client = connect(link)) {
      link.loseRequests();
      increment(client);
    }
    assertThat(link.undelivered()).isEqualTo(1);
    link.heal();
    Poll.until("the late request", () -> count().equals("1"));
    Poll.until("nothing on the way", () -> link.undelivered() == 0);
  }

  @Test
  void a_request_whose_reply_is_lost_takes_effect_once() throws IOException {
    NetworkLink link = host.link();
    try (Socket client = connect(link)) {
      link.loseReplies();
      increment(client);
      Poll.until("the effect", () -> count().equals("1"));
      client.setSoTimeout(300);
      assertThatThrownBy(() -> reply(client)).isInstanceOf(SocketTimeoutException.class);
      client.setSoTimeout(0);
      link.heal();
      assertThat(reply(client)).isEqualTo(":1");
      assertThat(count()).isEqualTo("1");
    }
  }

  @Test
  void a_link_that_is_cut_lets_nobody_connect_and_the_others_go_on() throws IOException {
    NetworkLink link = host.link();
    NetworkLink other = host.link();
    link.cut();
    assertThatThrownBy(() -> connect(link, 300)).isInstanceOf(SocketTimeoutException.class);
    assertThat(RedisWire.command(other.address(), server.port(), "PING")).isEqualTo("PONG");
    link.heal();
    assertThat(RedisWire.command(link.address(), server.port(), "PING")).isEqualTo("PONG");
  }

  @Test
  void a_replica_is_cut_off_from_its_master_only() throws IOException {
    try (NetworkHost second = NetworkHost.start();
        RedisServer replica = RedisServer.start(second)) {
      NetworkLink link = host.linkFrom(second);
      replica.command("REPLICAOF", link.address(), "" + server.port());
      RedisReplicas.awaitLink(replica);
      link.cut();
      increment(server);
      assertThat(replica.command("GET", "count")).isEmpty();
      link.heal();
      Poll.until("the replica", () -> value(replica).equals("1"));
    }
  }

  @Test
  void databases_are_reached_through_a_link() throws Exception {
    NetworkLink link = host.link();
    try (DatabaseServer postgres = PostgresServer.start(host);
        DatabaseServer mariadb = MariaDbServer.start(host)) {
      for (DatabaseServer database : List.of(postgres, mariadb)) {
        try (var connection = DatabaseServer.connect(link.url(database.newDatabase()))) {
          assertThat(connection.isValid(10)).isTrue();
        }
      }
    }
  }

  @Test
  void a_host_that_is_closed_leaves_nothing() throws IOException {
    NetworkHost other = NetworkHost.start();
    other.link();
    assertThat(leftOf(other.toString())).hasSize(3);
    other.close();
    assertThat(leftOf(other.toString())).isEmpty();
  }

  @Test
  void what_a_killed_process_left_is_removed_at_the_next_start_and_not_before() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LeftBehind.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      String left = output.readLine();
      NetworkHost.start().close();
      assertThat(leftOf(left)).as("while it lives").hasSize(5);
      process.destroyForcibly().waitFor();
      assertThat(leftOf(left)).as("killed").hasSize(5);
      NetworkHost.start().close();
      assertThat(leftOf(left)).isEmpty();
    } finally {
      process.destroyForcibly();
    }
  }

  /** A process that does not end by itself. */
  static final class LeftBehind {

    private LeftBehind() {}

    public static void main(String[] arguments) throws IOException {
      NetworkHost host = NetworkHost.start();
      for (int i = 0; i < 3; i++) {
        host.link();
      }
      System.out.println(host);
      System.in.read();
    }
  }

  private static List<String> leftOf(String name) throws IOException {
    try (Stream<Path> namespaces = Files.list(Path.of("/run/netns"));
        Stream<Path> devices = Files.list(Path.of("/sys/class/net"))) {
      return Stream.concat(namespaces, devices)
          .map(path -> path.getFileName().toString())
          .filter(file -> file.equals(name) || file.startsWith(name + "-"))
          .toList();
    }
  }

  private Socket connect(NetworkLink link) throws IOException {
    return connect(link, 0);
  }

  private Socket connect(NetworkLink link, int timeoutMillis) throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(link.address(), server.port()), timeoutMillis);
    return socket;
  }

  private static void increment(Socket client) throws IOException {
    client.getOutputStream().write("INCR count\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private static void increment(RedisServer server) throws IOException {
    server.command("INCR", "count");
  }

  private static String reply(Socket client) throws IOException {
    InputStream input = client.getInputStream();
    StringBuilder line = new StringBuilder();
    for (int next = input.read(); next >= 0 && next != '\r'; next = input.read()) {
      line.append((char) next);
    }
    return line.toString();
  }

  private String count() {
    return value(server);
  }

  private static String value(RedisServer server) {
    try {
      return server.command("GET", "count");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
