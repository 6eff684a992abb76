package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.text.Tokens;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A multipart body in one form, whatever its boundary: clients draw a new one for each attempt.
 *
 * <ol>
 *   <li>Its parts, in the order they came in.
 *   <li>Of each the fields of its head, names in lower case, sorted by name; those of one name stay
 *       in their order.
 *   <li>Then its content, byte for byte. All is written with its length before it, so that no
 *       content passes for a field, or for another part.
 * </ol>
 *
 * <p>No form have: a body with anything before its first boundary or after its last one, with bare
 * line feeds or folded lines in a head, with a line that only begins as a boundary does, with the
 * boundary within a content, or with more than 100 fields in a head. Readers differ in what they
 * make of these.
 */
public final class CanonicalMultipart {

  /** RFC 2046, 5.1.1. */
  private static final int LONGEST_BOUNDARY = 70;

  /** Of one part; a field takes far more memory than its few bytes. */
  private static final int MAX_FIELDS = 100;

  private static final byte[] CRLF = {'\r', '\n'};
  private static final byte[] END = {'-', '-'};
  private static final String OF_BOUNDARIES = "'()+_,-./:=? ";

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  /** Writes a part that somebody else has parsed. */
  public CanonicalMultipart part(List<Header> head, byte[] content) {
    List<Header> fields = new ArrayList<>(head);
    fields.sort(Comparator.comparing(field -> field.name().toLowerCase(Locale.ROOT)));
    write(fields.size());
    for (Header field : fields) {
      write(field.name().toLowerCase(Locale.ROOT).getBytes(UTF_8));
      write(field.value().trim().getBytes(UTF_8));
    }
    write(content);
    return this;
  }

  private void write(byte[] bytes) {
    write(bytes.length);
    output.writeBytes(bytes);
  }

  private void write(int number) {
    output.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  /** The whole, after its last part. */
  public CanonicalBody body() {
    return new CanonicalBody(CanonicalBody.Kind.MULTIPART, Bytes.wrap(output.toByteArray()));
  }

  /** The canonical form, or null if the body has none. */
  static @Nullable Bytes of(Bytes body, @Nullable String boundary) {
    if (boundary == null || !isBoundary(boundary)) {
      return null;
    }
    CanonicalMultipart form = new CanonicalMultipart();
    return form.parse(body.toArray(), ("\r\n--" + boundary).getBytes(ISO_8859_1))
        ? form.body().bytes()
        : null;
  }

  private static boolean isBoundary(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && OF_BOUNDARIES.indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= LONGEST_BOUNDARY && !text.endsWith(" ");
  }

  private boolean parse(byte[] body, byte[] delimiter) {
    // The first one has no line end before it.
    int at = delimiter.length - CRLF.length;
    if (!isAt(body, 0, delimiter, CRLF.length)) {
      return false;
    }
    while (isAt(body, at, CRLF, 0)) {
      List<Header> head = new ArrayList<>();
      int content = head(body, at + CRLF.length, head);
      int end = content < 0 ? -1 : find(body, content, delimiter);
      if (end < 0 || isIn(body, content, end, delimiter)) {
        return false;
      }
      part(head, Arrays.copyOfRange(body, content, end));
      at = end + delimiter.length;
    }
    int end = at + END.length;
    return isAt(body, at, END, 0)
        && (end == body.length || (isAt(body, end, CRLF, 0) && end + 2 == body.length));
  }

  /** Reads the lines of a head; where the content begins, or -1 if they are not plain. */
  private static int head(byte[] body, int start, List<Header> head) {
    int at = start;
    while (!isAt(body, at, CRLF, 0)) {
      int end = find(body, at, CRLF);
      Header field = end < 0 ? null : field(Arrays.copyOfRange(body, at, end));
      if (field == null || head.size() == MAX_FIELDS) {
        return -1;
      }
      head.add(field);
      at = end + CRLF.length;
    }
    return at + CRLF.length;
  }

  private static @Nullable Header field(byte[] line) {
    String text = new String(line, UTF_8);
    int colon = text.indexOf(':');
    boolean plain =
        colon > 0
            && Utf8.isWellFormed(line, line.length)
            && Tokens.isToken(text.substring(0, colon))
            && text.chars().noneMatch(c -> c == '\r' || c == '\n' || c == 0);
    return plain ? new Header(text.substring(0, colon), text.substring(colon + 1)) : null;
  }

  /** Whether a content has the boundary without a line end before it: some readers end it there. */
  private static boolean isIn(byte[] body, int content, int end, byte[] delimiter) {
    byte[] boundary = Arrays.copyOfRange(delimiter, CRLF.length, delimiter.length);
    int at = find(body, content, boundary);
    return at >= 0 && at < end;
  }

  private static int find(byte[] body, int start, byte[] wanted) {
    for (int at = start; at <= body.length - wanted.length; at++) {
      if (isAt(body, at, wanted, 0)) {
        return at;
      }
    }
    return -1;
  }

  /** Whether this, from its byte {@code from} on, is there. */
  private static boolean isAt(byte[] body, int at, byte[] wanted, int from) {
    int end = at + wanted.length - from;
    return end <= body.length && Arrays.equals(body, at, end, wanted, from, wanted.length);
  }
}
