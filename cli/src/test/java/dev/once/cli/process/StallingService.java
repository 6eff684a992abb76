package dev.once.cli.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service behind, on plain sockets. At {@code /large} it answers with 3 MB, at {@code /slow} with
 * 1 MB, but holds the last byte back until it may finish; at {@code /held} it holds all back.
 */
final class StallingService implements AutoCloseable {

  /** More than sockets take that nobody reads. */
  static final int LARGE = 3 * 1024 * 1024;

  private static final int SLOW = 1024 * 1024;

  private final ServerSocket listener;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch finish = new CountDownLatch(1);
  private final AtomicInteger stalled = new AtomicInteger();

  StallingService() {
    try {
      listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  /** How many requests it has not answered to the end. */
  int stalled() {
    return stalled.get();
  }

  /** Lets all go on. */
  void finish() {
    finish.countDown();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        threads.execute(() -> serve(socket));
      } catch (IOException | java.util.concurrent.RejectedExecutionException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        String path = readRequest(in);
        if (path == null) {
          return;
        }
        answer(path, socket.getOutputStream());
      }
    } catch (IOException | InterruptedException e) {
      // The connection is over.
    }
  }

  private void answer(String path, OutputStream out) throws IOException, InterruptedException {
    if (path.startsWith("/slow")) {
      out.write(head(SLOW));
      out.write(new byte[SLOW - 1]);
      stall();
      out.write(0);
    } else if (path.startsWith("/large")) {
      out.write(head(LARGE));
      out.write(new byte[LARGE]);
    } else {
      if (path.startsWith("/held")) {
        stall();
      }
      out.write(head(2));
      out.write("ok".getBytes(StandardCharsets.US_ASCII));
    }
    out.flush();
  }

  private void stall() throws InterruptedException {
    stalled.incrementAndGet();
    finish.await();
  }

  private static byte[] head(int length) {
    return ("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a request to its end, and returns its path; null at the end of the connection. */
  private static String readRequest(InputStream in) throws IOException {
    String line = line(in);
    if (line == null) {
      return null;
    }
    String path = line.split(" ", -1)[1];
    long length = 0;
    for (String field = line(in); field != null && !field.isEmpty(); field = line(in)) {
      if (field.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
        length = Long.parseLong(field.substring("content-length:".length()).strip());
      }
    }
    in.skipNBytes(length);
    return path;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return null;
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    finish();
    listener.close();
    threads.shutdownNow();
  }
}
