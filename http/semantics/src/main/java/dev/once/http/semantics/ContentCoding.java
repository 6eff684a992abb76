package dev.once.http.semantics;

import dev.once.core.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** {@code Content-Encoding} of an answer, and {@code Accept-Encoding} of who is to get it. */
final class ContentCoding {

  private ContentCoding() {}

  /**
   * Whether a client says that it takes a coding. One that says nothing takes any, by the letter
   * (RFC 9110, 12.5.3); but what it is sure to understand is none.
   *
   * @param accepted the lines of the header
   */
  static boolean isNamed(String coding, List<String> accepted) {
    String wanted = name(coding);
    Boolean byName = null;
    Boolean byStar = null;
    for (String member : String.join(",", accepted).split(",", -1)) {
      String[] words = member.split(";", -1);
      String name = name(words[0]);
      if (name.equals(wanted)) {
        byName = !isRefused(words);
      } else if (name.equals("*")) {
        byStar = !isRefused(words);
      }
    }
    return byName != null ? byName : byStar != null && byStar;
  }

  private static String name(String coding) {
    String name = coding.trim().toLowerCase(Locale.ROOT);
    return name.equals("x-gzip") ? "gzip" : name;
  }

  /** Whether its weight is zero. */
  private static boolean isRefused(String[] words) {
    for (int i = 1; i < words.length; i++) {
      if (words[i].trim().matches("[qQ]=0(\\.0*)?")) {
        return true;
      }
    }
    return false;
  }

  /** What was encoded; null if it is not gzip or deflate, is damaged, or is over the limit. */
  static @Nullable Bytes decoded(String coding, Bytes encoded, int limit) {
    try (InputStream in = decoder(coding, new ByteArrayInputStream(encoded.toArray()))) {
      byte[] bytes = in.readNBytes(limit);
      return in.read() < 0 ? Bytes.wrap(bytes) : null;
    } catch (IOException | StackOverflowError e) {
      return null; // Java reads the members of gzip one within the other, and they may be thousands
    }
  }

  private static InputStream decoder(String coding, InputStream in) throws IOException {
    return switch (name(coding)) {
      case "gzip" -> new GZIPInputStream(in);
      case "deflate" -> new InflaterInputStream(in);
      default -> throw new IOException("coding: unknown (expected: gzip or deflate)");
    };
  }
}
