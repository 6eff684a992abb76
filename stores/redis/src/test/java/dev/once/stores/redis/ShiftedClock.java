package dev.once.stores.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** A way to a Redis on which its replies to TIME, and only they, are changed. */
final class ShiftedClock implements AutoCloseable {

  private static final Pattern TIME = Pattern.compile("\\*2\r\n\\$10\r\n(\\d{10})\r\n");

  private final ServerSocket listener;
  private final int server;
  private final Duration shift;

  ShiftedClock(int server, Duration shift) throws IOException {
    this.server = server;
    this.shift = shift;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket redis = new Socket(InetAddress.getLoopbackAddress(), server);
      daemon(() -> copy(client, redis, text -> text));
      daemon(() -> copy(redis, client, this::shifted));
    }
  }

  private String shifted(String reply) {
    return TIME.matcher(reply)
        .replaceAll(
            time ->
                "*2\r\n\\$10\r\n" + (Long.parseLong(time.group(1)) + shift.toSeconds()) + "\r\n");
  }

  private static void copy(Socket from, Socket to, UnaryOperator<String> change)
      throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[64 * 1024];
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        String text = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
        out.write(change.apply(text).getBytes(StandardCharsets.ISO_8859_1));
      }
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void daemon(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // closed, by either side
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
