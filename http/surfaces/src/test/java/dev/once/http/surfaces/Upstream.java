package dev.once.http.surfaces;

import dev.once.http.surfaces.Script.ScriptedAnswer;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A service on plain sockets, for the gateway: it can end an answer anywhere. */
final class Upstream implements AutoCloseable {

  private final ServerSocket listener;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          run -> {
            Thread thread = new Thread(run, "upstream");
            thread.setDaemon(true);
            return thread;
          });

  Upstream() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        threads.execute(() -> serve(socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  /** One request for each connection. */
  private static void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String path = readLine(in).split(" ", -1)[1];
      String id = "";
      int length = 0;
      for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
        String value = line.substring(line.indexOf(':') + 1).strip();
        if (line.regionMatches(true, 0, Script.CASE + ":", 0, Script.CASE.length() + 1)) {
          id = value;
        } else if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
          length = Integer.parseInt(value);
        }
      }
      in.readNBytes(length);
      answer(Behaviour.of(path), id, socket.getOutputStream());
    } catch (IOException e) {
      // The gateway has left.
    }
  }

  private static String readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      line.write(next);
    }
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  private static void answer(Behaviour behaviour, String id, OutputStream out) throws IOException {
    if (behaviour == Behaviour.DOES_NOT_RUN) {
      Script.notRun(id); // the first time it was not reached
    }
    ScriptedAnswer played = Script.play(behaviour, id);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + played.status() + " Text\r\n");
    played.fields().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    write(out, head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (String piece : played.pieces()) {
      write(out, Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
    }
    if (played.end() == Script.End.WELL) {
      write(out, "0\r\n\r\n");
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.shutdownNow();
  }
}
