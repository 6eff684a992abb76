package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.once.core.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON in the one form of RFC 8785, so that two spellings of one document have one hash. It is
 * never a guess: what is not plainly I-JSON (RFC 7493) has no such form, and is hashed as it came.
 *
 * <ol>
 *   <li>One pass over the bytes. Each name and value is written at once, in its canonical form.
 *   <li>For each member of an object it is noted where in the output it begins and ends.
 *   <li>At the end of the object its members are put in order, unless they were.
 * </ol>
 *
 * <p>No form have: anything but one value in well-formed UTF-8; a name twice in one object; half a
 * surrogate pair; more than {@value #MAX_DEPTH} arrays and objects in each other; numbers that a
 * double cannot hold, see {@link CanonicalNumber}.
 *
 * <p>Why not with Jackson's parser: its tokens alone took 6 of the 12 µs that a document of 2 KB
 * may take, and a canonical form made from them 16, without a look at the UTF-8. Of bytes it takes
 * overlong UTF-8, and its shared table of names can refuse a document for the names of others; of
 * characters it takes some that are no digits for those of an escape. The tests compare with it.
 *
 * <p>Every step takes the position where it begins and returns the one where it ended, or {@link
 * #NONE}. After the last byte there are zeros, which no step passes: none needs to ask for the end.
 */
final class CanonicalJson {

  static final int MAX_DEPTH = 64;

  /** In place of a position: there is no canonical form. */
  static final int NONE = -1;

  private static final byte[] TRUE = "true".getBytes(US_ASCII);
  private static final byte[] FALSE = "false".getBytes(US_ASCII);
  private static final byte[] NULL = "null".getBytes(US_ASCII);

  private final byte[] input;
  private final CanonicalOutput output;
  private final CanonicalMembers members;

  private CanonicalJson(byte[] input) {
    this.input = input;
    this.output = new CanonicalOutput(input.length);
    this.members = new CanonicalMembers(output);
  }

  /** The canonical form, or null if the body has none. */
  static @Nullable Bytes of(Bytes body) {
    byte[] input = new byte[body.size() + Long.BYTES];
    body.asBuffer().get(input, 0, body.size());
    CanonicalJson json = new CanonicalJson(input);
    int end = json.value(json.space(0), 0);
    return end != NONE && json.space(end) == body.size() ? json.output.toBytes() : null;
  }

  private int value(int at, int depth) {
    return switch (input[at]) {
      case '{' -> depth < MAX_DEPTH ? object(at, depth + 1) : NONE;
      case '[' -> depth < MAX_DEPTH ? array(at, depth + 1) : NONE;
      case '"' -> CanonicalString.write(input, at, output);
      case 't' -> literal(at, TRUE);
      case 'f' -> literal(at, FALSE);
      case 'n' -> literal(at, NULL);
      default -> CanonicalNumber.write(input, at, output);
    };
  }

  private int object(int start, int depth) {
    output.add('{');
    int at = space(start + 1);
    if (input[at] == '}') {
      output.add('}');
      return at + 1;
    }
    int first = members.count();
    while (input[at] == '"') {
      members.beginName();
      at = CanonicalString.write(input, at, output);
      if (at == NONE) {
        return NONE;
      }
      members.endName();
      at = space(at);
      if (input[at] != ':') {
        return NONE;
      }
      output.add(':');
      at = value(space(at + 1), depth);
      if (at == NONE) {
        return NONE;
      }
      members.endValue();
      at = space(at);
      if (input[at] == '}') {
        if (!members.end(first)) {
          return NONE;
        }
        output.add('}');
        return at + 1;
      }
      if (input[at] != ',') {
        return NONE;
      }
      output.add(',');
      at = space(at + 1);
    }
    return NONE;
  }

  private int array(int start, int depth) {
    output.add('[');
    int at = space(start + 1);
    if (input[at] == ']') {
      output.add(']');
      return at + 1;
    }
    while (true) {
      at = value(at, depth);
      if (at == NONE) {
        return NONE;
      }
      at = space(at);
      if (input[at] == ']') {
        output.add(']');
        return at + 1;
      }
      if (input[at] != ',') {
        return NONE;
      }
      output.add(',');
      at = space(at + 1);
    }
  }

  private int literal(int at, byte[] literal) {
    int end = Math.min(at + literal.length, input.length);
    if (!Arrays.equals(input, at, end, literal, 0, literal.length)) {
      return NONE;
    }
    output.add(literal, 0, literal.length);
    return end;
  }

  private int space(int start) {
    int at = start;
    while (input[at] == ' ' || input[at] == '\n' || input[at] == '\r' || input[at] == '\t') {
      at++;
    }
    return at;
  }
}
