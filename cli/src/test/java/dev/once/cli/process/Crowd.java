package dev.once.cli.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Many connections at once, each with a thread of its own that sends what it likes. */
final class Crowd implements AutoCloseable {

  /** What one of them does; a failure of its connection is its end. */
  interface Member {
    void send(Socket socket, int number) throws IOException;
  }

  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private final int size;

  private Crowd(int size) {
    this.size = size;
  }

  static Crowd of(int size, URI url, Member member) throws IOException {
    Crowd crowd = new Crowd(size);
    for (int i = 0; i < size; i++) {
      int number = i;
      Socket socket = new Socket();
      socket.setReceiveBufferSize(8 * 1024); // little room for what it does not read
      socket.connect(
          new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort()));
      crowd.sockets.add(socket);
      Thread thread = new Thread(() -> crowd.run(socket, number, member), "crowd " + number);
      thread.setDaemon(true);
      thread.start();
    }
    return crowd;
  }

  private void run(Socket socket, int number, Member member) {
    try {
      member.send(socket, number);
    } catch (IOException e) {
      // It was sent away.
    } finally {
      done.incrementAndGet();
    }
  }

  /** Waits until each has sent what it wanted to, or was sent away. */
  Crowd awaitSent() {
    Eventually.get("the end of a crowd of " + size, done::get, ended -> ended == size);
    return this;
  }

  /** A request with a key of its own, and the beginning of its body. */
  static byte[] post(String path, String key, int length, int sent) {
    byte[] head =
        ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: a\r\n")
            .concat(
                "Idempotency-Key: "
                    + key
                    + "\r\nContent-Type: text/plain\r\nContent-Length: "
                    + length
                    + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[head.length + sent];
    java.util.Arrays.fill(all, (byte) 'x');
    System.arraycopy(head, 0, all, 0, head.length);
    return all;
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
