package dev.once.http.gateway;

import dev.once.core.Header;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The service behind, in tests: a server on plain sockets, whose every byte can be scripted per
 * path. Unscripted paths count, and answer 201 with what they got.
 */
final class Service implements AutoCloseable {

  /** What happens to one request. What it throws ends the connection. */
  interface Behaviour {
    void answer(Call call) throws Exception;
  }

  /** More than any test opens at once: a connection that finds no room is tried again later. */
  static final int BACKLOG = 500;

  private final ServerSocket listener;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          run -> {
            Thread thread = new Thread(run, "service");
            thread.setDaemon(true);
            return thread;
          });
  private final Map<String, Behaviour> script = new ConcurrentHashMap<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  Service() {
    this(0);
  }

  Service(int port) {
    try {
      listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  /** Behind TLS, if it is a socket for that. */
  Service(ServerSocket listener) {
    this.listener = listener;
    threads.execute(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  Service on(String path, Behaviour behaviour) {
    script.put(path, behaviour);
    return this;
  }

  /** Every request whose head came, the unfinished included. */
  List<Call> calls() {
    return calls;
  }

  List<Call> calls(String path) {
    return calls.stream().filter(call -> call.path().equals(path)).toList();
  }

  /** The one request to a path; an error if there were more, or none. */
  Call only(String path) {
    List<Call> found = calls(path);
    if (found.size() != 1) {
      throw new AssertionError(path + " was called " + found.size() + " times");
    }
    return found.get(0);
  }

  int connections() {
    return sockets.size();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        threads.execute(() -> serve(socket));
      } catch (IOException | java.util.concurrent.RejectedExecutionException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (!socket.isClosed()) {
        String line = readLine(in);
        if (line == null) {
          return;
        }
        Call call = new Call(socket, in, line);
        calls.add(call);
        script.getOrDefault(call.path(), Service::count).answer(call);
        if (!socket.isClosed()) {
          call.body();
        }
      }
    } catch (Exception e) {
      // The connection is over, and the client learns it by that.
    } finally {
      sockets.remove(socket);
    }
  }

  private static void count(Call call) throws IOException {
    String body = call.text();
    call.answer(
        201, "%d %s %s".formatted(call.number(), call.target, body), "X-Count: " + call.number());
  }

  private static String readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int next = in.read();
      if (next < 0) {
        return null;
      }
      if (next == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      line.write(next);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.shutdownNow();
    try {
      threads.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One request, as it came, and the way to answer it. */
  final class Call {

    final String method;
    final String target;
    final List<Header> fields = new ArrayList<>();
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private volatile byte[] body;

    private Call(Socket socket, InputStream in, String requestLine) throws IOException {
      this.socket = socket;
      this.in = in;
      this.out = socket.getOutputStream();
      String[] words = requestLine.split(" ", -1);
      method = words[0];
      target = words[1];
      while (true) {
        String line = readLine(in);
        if (line == null) {
          throw new EOFException();
        }
        if (line.isEmpty()) {
          return;
        }
        int colon = line.indexOf(':');
        fields.add(new Header(line.substring(0, colon), line.substring(colon + 1).strip()));
      }
    }

    /** Of the other side: tells connections apart. */
    int port() {
      return socket.getPort();
    }

    String path() {
      int question = target.indexOf('?');
      return question < 0 ? target : target.substring(0, question);
    }

    /** The how-manieth request this was to its path. */
    int number() {
      return calls(path()).indexOf(this) + 1;
    }

    /** The value of a header; null if it is not there. */
    String field(String name) {
      List<String> lines = fields(name);
      return lines.isEmpty() ? null : lines.get(0);
    }

    List<String> fields(String name) {
      return fields.stream()
          .filter(field -> field.name().equalsIgnoreCase(name))
          .map(Header::value)
          .toList();
    }

    /** Reads the body to its end, and says 100 before if that is expected. */
    synchronized byte[] body() throws IOException {
      if (body == null) {
        if (field("Expect") != null) {
          send("HTTP/1.1 100 Continue\r\n\r\n");
        }
        body = "chunked".equals(field("Transfer-Encoding")) ? chunks() : exactly(length());
      }
      return body;
    }

    /** What has been read of the body; null if it has not come to its end. */
    byte[] bodySoFar() {
      return body;
    }

    String text() throws IOException {
      return new String(body(), StandardCharsets.ISO_8859_1);
    }

    private int length() {
      String length = field("Content-Length");
      return length == null ? 0 : Integer.parseInt(length);
    }

    byte[] exactly(int length) throws IOException {
      byte[] bytes = in.readNBytes(length);
      if (bytes.length < length) {
        throw new EOFException("body: " + bytes.length + " bytes (expected: " + length + ")");
      }
      return bytes;
    }

    private byte[] chunks() throws IOException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      while (true) {
        String size = readLine(in);
        if (size == null) {
          throw new EOFException("body: cut between chunks");
        }
        byte[] chunk = exactly(Integer.parseInt(size, 16));
        all.writeBytes(chunk);
        readLine(in);
        if (chunk.length == 0) {
          return all.toByteArray();
        }
      }
    }

    /** The next byte after the head, for what is not HTTP any more; -1 at the end. */
    int read() throws IOException {
      return in.read();
    }

    void answer(int status, String text, String... headers) throws IOException {
      answer(status, text.getBytes(StandardCharsets.ISO_8859_1), headers);
    }

    void answer(int status, byte[] bytes, String... headers) throws IOException {
      List<String> lines = new ArrayList<>(List.of(headers));
      if (status != 204 && status != 304) {
        lines.add("Content-Length: " + bytes.length);
      }
      head(status, lines.toArray(String[]::new));
      send(bytes);
    }

    /** Status line and headers, and nothing else. */
    void head(int status, String... headers) throws IOException {
      StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Text\r\n");
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      send(head.append("\r\n").toString());
    }

    void chunk(String text) throws IOException {
      send(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    void send(String text) throws IOException {
      send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
    }

    void close() throws IOException {
      socket.close();
    }

    /** Says that nothing more is sent. */
    void endOutput() throws IOException {
      socket.shutdownOutput();
    }

    /** Ends the connection rudely: the other side sees a reset. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    /** Waits until the other side has closed the connection. */
    void awaitClose() throws IOException {
      while (in.read() >= 0) {
        // Whatever comes is not of interest.
      }
    }
  }
}
