package dev.once.testing.servers;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Single commands to a Redis, without a client library: what a test does behind the store's back.
 */
final class RedisWire {

  private static final int TIMEOUT_MILLIS = 5_000;

  private RedisWire() {}

  /** The reply as text; the elements of an array each on a line; an error begins with "-". */
  static String command(String host, int port, String... words) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
      for (String word : words) {
        int length = word.getBytes(StandardCharsets.UTF_8).length;
        request.append('$').append(length).append("\r\n").append(word).append("\r\n");
      }
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
      return reply(new BufferedInputStream(socket.getInputStream()));
    }
  }

  private static String reply(InputStream in) throws IOException {
    String line = line(in);
    switch (line.charAt(0)) {
      case '$' -> {
        int length = Integer.parseInt(line.substring(1));
        if (length < 0) {
          return "";
        }
        String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        in.readNBytes(2);
        return text;
      }
      case '*' -> {
        StringBuilder all = new StringBuilder();
        for (int left = Integer.parseInt(line.substring(1)); left > 0; left--) {
          all.append(reply(in)).append('\n');
        }
        return all.toString();
      }
      case '-' -> {
        return line;
      }
      default -> {
        return line.substring(1);
      }
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("redis: connection closed");
      }
      line.append((char) next);
    }
    in.read();
    return line.toString();
  }
}
