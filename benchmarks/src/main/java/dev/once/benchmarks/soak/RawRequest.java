package dev.once.benchmarks.soak;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as the upstream got it. Names of fields are in lower case; of the body only the size is
 * known.
 */
record RawRequest(String method, String target, Map<String, String> fields, long bodyBytes) {

  String field(String name) {
    return fields.getOrDefault(name, "");
  }

  /** Reads requests from the bytes of a connection, as they come. */
  static final class Parser {

    private Buffer unread = Buffer.buffer();
    private @Nullable RawRequest head;
    private long bodyLeft;
    private long bodyBytes;
    private boolean chunked;
    private boolean lastChunk;

    void append(Buffer bytes) {
      unread = unread.length() == 0 ? bytes : unread.appendBuffer(bytes);
    }

    /** The next whole request; null if it is not there yet. */
    @Nullable RawRequest next() {
      while (true) {
        RawRequest known = head;
        if (known == null) {
          int end = find("\r\n\r\n");
          if (end < 0) {
            return null;
          }
          begin(take(end + 4));
        } else if (bodyLeft > 0) {
          int now = (int) Math.min(bodyLeft, unread.length());
          if (now == 0) {
            return null;
          }
          take(now);
          bodyLeft -= now;
        } else if (chunked && !lastChunk) {
          int end = find("\r\n");
          if (end < 0) {
            return null;
          }
          String size = take(end + 2).split("[;\r]", 2)[0].strip();
          long bytes = size.isEmpty() ? 0 : Long.parseLong(size, 16);
          bodyBytes += bytes;
          bodyLeft = bytes + 2; // and the end of the line
          lastChunk = bytes == 0;
        } else {
          head = null;
          return new RawRequest(known.method, known.target, known.fields, bodyBytes);
        }
      }
    }

    private void begin(String text) {
      String[] lines = text.split("\r\n", -1);
      String[] words = lines[0].split(" ", 3);
      Map<String, String> fields = new HashMap<>();
      for (int i = 1; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        if (colon > 0) {
          fields.put(
              lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
              lines[i].substring(colon + 1).strip());
        }
      }
      head = new RawRequest(words[0], words.length > 1 ? words[1] : "", fields, 0);
      chunked = fields.getOrDefault("transfer-encoding", "").contains("chunked");
      lastChunk = false;
      bodyLeft = chunked ? 0 : Long.parseLong(fields.getOrDefault("content-length", "0"));
      bodyBytes = bodyLeft;
    }

    private int find(String end) {
      int last = unread.length() - end.length();
      for (int i = 0; i <= last; i++) {
        int matched = 0;
        while (matched < end.length() && unread.getByte(i + matched) == end.charAt(matched)) {
          matched++;
        }
        if (matched == end.length()) {
          return i;
        }
      }
      return -1;
    }

    private String take(int bytes) {
      String taken = unread.getString(0, bytes, StandardCharsets.ISO_8859_1.name());
      unread = unread.getBuffer(bytes, unread.length());
      return taken;
    }
  }
}
