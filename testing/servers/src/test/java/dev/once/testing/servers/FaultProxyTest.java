package dev.once.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class FaultProxyTest {

  /** Long enough to have heard something, if there were something to hear. */
  private static final Duration SILENCE = Duration.ofMillis(100);

  private Echo server;
  private FaultProxy proxy;

  @BeforeEach
  void open() throws IOException {
    server = new Echo();
    proxy = FaultProxy.to(server.port());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void a_healthy_proxy_passes_everything_on() throws IOException {
    try (Caller caller = new Caller()) {
      assertThat(caller.ask("one")).isEqualTo("one");
      assertThat(caller.ask("two")).isEqualTo("two");
      assertThat(proxy.connections()).isEqualTo(1);
    }
    Poll.until("both sides to end", () -> proxy.openConnections() == 0 && server.open() == 0);
  }

  @Test
  void a_server_that_ends_the_connection_ends_it_for_the_client() throws IOException {
    try (Caller caller = new Caller()) {
      assertThat(caller.ask("bye")).isNull();
    }
  }

  @Test
  void cut_resets_open_connections_on_both_sides_and_lets_new_ones_pass() throws IOException {
    try (Caller caller = new Caller()) {
      caller.ask("one");
      proxy.cut();
      assertThatThrownBy(caller::hear).hasMessageContaining("reset");
      Poll.until("the server to see it", () -> server.open() == 0);
    }
    try (Caller caller = new Caller()) {
      assertThat(caller.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void refuse_refuses_until_healed() throws IOException {
    try (Caller caller = new Caller()) {
      caller.ask("one");
      proxy.refuse();
      assertThatThrownBy(caller::hear).hasMessageContaining("reset");
      assertThatThrownBy(Caller::new).isInstanceOf(ConnectException.class);
    }
    proxy.heal();
    try (Caller caller = new Caller()) {
      assertThat(caller.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void refuse_and_heal_are_done_when_they_return() throws IOException {
    for (int i = 0; i < 200; i++) {
      proxy.refuse();
      assertThatThrownBy(Caller::new).isInstanceOf(ConnectException.class);
      proxy.refuse();
      proxy.heal();
      try (Caller caller = new Caller()) {
        assertThat(caller.ask("again")).isEqualTo("again");
      }
    }
  }

  @Test
  void what_a_stall_held_back_arrives_when_it_is_over() throws IOException {
    try (Caller caller = new Caller()) {
      caller.ask("one");
      proxy.stall();
      caller.say("two");
      caller.hearsNothing();
      assertThat(server.heard).doesNotContain("two");
      proxy.heal();
      assertThat(caller.hear()).isEqualTo("two");
    }
  }

  @Test
  void in_a_blackhole_bytes_are_lost_and_connections_stay() throws IOException {
    try (Caller caller = new Caller();
        Caller other = new Caller()) {
      caller.ask("one");
      other.ask("one");
      proxy.blackhole();
      caller.say("two");
      Poll.until("its loss", () -> proxy.muteConnections() == 1);
      caller.hearsNothing();
      proxy.heal();
      caller.say("three");
      caller.hearsNothing();
      assertThat(server.heard).as("a stream with a hole").doesNotContain("two", "three");
      assertThat(other.ask("four")).as("one that lost nothing").isEqualTo("four");
    }
  }

  @Test
  void in_a_blackhole_the_server_does_not_see_the_client_go() throws IOException {
    try (Caller caller = new Caller()) {
      caller.ask("one");
      proxy.blackhole();
    }
    try (Caller late = new Caller()) {
      late.say("two");
      late.hearsNothing();
    }
    assertThat(server.open()).as("half-open").isGreaterThanOrEqualTo(1);
    proxy.heal();
    Poll.until("the server to see it", () -> server.open() == 0);
  }

  @Test
  void a_lost_reply_is_one_to_a_request_that_arrived() throws IOException {
    try (Caller caller = new Caller()) {
      caller.ask("one");
      proxy.dropReplies();
      caller.say("two");
      assertThatThrownBy(caller::hear).hasMessageContaining("reset");
    }
    assertThat(server.heard).contains("two");
    assertThat(proxy.lostReplies()).isEqualTo(1);
    proxy.heal();
    try (Caller caller = new Caller()) {
      assertThat(caller.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void a_share_of_the_replies_can_be_lost() throws IOException {
    proxy.dropReplies(0.5);
    int lost = 0;
    int given = 0;
    for (int i = 0; i < 100; i++) {
      try (Caller caller = new Caller()) {
        caller.ask("one");
        given++;
      } catch (IOException e) {
        lost++;
      }
    }
    assertThat(lost).isPositive().isEqualTo(proxy.lostReplies());
    assertThat(given).isPositive();
  }

  @Test
  void a_url_is_led_through_the_proxy() {
    String there = "127.0.0.1:" + proxy.port();
    assertThat(proxy.url("mariadb://me:secret@db:3306/shop?a=b"))
        .isEqualTo("mariadb://me:secret@" + there + "/shop?a=b");
    assertThat(proxy.url("redis://localhost:6379")).isEqualTo("redis://" + there);
  }

  /** Speaks in lines. */
  private final class Caller implements AutoCloseable {

    private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    private final BufferedReader reader =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));

    Caller() throws IOException {}

    String ask(String line) throws IOException {
      say(line);
      return hear();
    }

    void say(String line) throws IOException {
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    String hear() throws IOException {
      return reader.readLine();
    }

    void hearsNothing() throws IOException {
      socket.setSoTimeout((int) SILENCE.toMillis());
      assertThatThrownBy(this::hear).isInstanceOf(SocketTimeoutException.class);
      socket.setSoTimeout(0);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Says what it hears, until somebody says bye. */
  private static final class Echo implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger open = new AtomicInteger();
    private final List<String> heard = new CopyOnWriteArrayList<>();

    Echo() throws IOException {
      ProxiedConnection.daemon("echo", this::accept);
    }

    int port() {
      return listener.getLocalPort();
    }

    int open() {
      return open.get();
    }

    private void accept() {
      try {
        while (true) {
          Socket socket = listener.accept();
          ProxiedConnection.daemon("echoes", () -> serve(socket));
        }
      } catch (IOException e) {
        assertThat(listener.isClosed()).isTrue();
      }
    }

    private void serve(Socket socket) {
      open.incrementAndGet();
      try (socket) {
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine();
            line != null && !line.equals("bye");
            line = lines.readLine()) {
          heard.add(line);
          socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
      } catch (IOException e) {
        assertThat(e).isNotNull(); // reset, as was to be
      } finally {
        open.decrementAndGet();
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
