package dev.once.http.semantics.canonical;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Where in the output the members are of the objects that are being written, those of the innermost
 * object last. It puts the members of one object in order:
 *
 * <ol>
 *   <li>If they are in order, nothing is to do.
 *   <li>They are sorted by name; a name that comes twice is then next to itself.
 *   <li>What was written of them is cut off, and written again in that order.
 * </ol>
 */
final class CanonicalMembers {

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** Up to so many are faster sorted by insertion: most objects have fewer. */
  private static final int FEW = 24;

  private static final class Member {
    private int start;
    private int nameEnd;
    private int end;

    /** The first eight bytes of the name by their rank: enough to tell most names apart. */
    private long prefix;

    /** The name, if it has escapes: they do not sort as what they stand for. */
    private byte @Nullable [] unescaped;
  }

  private final CanonicalOutput output;
  private final Comparator<Member> order = this::compare;

  /** The first {@link #count} are in use; the others stand by. */
  private Member[] members = {};

  private int count;
  private int escapesBefore;

  CanonicalMembers(CanonicalOutput output) {
    this.output = output;
  }

  int count() {
    return count;
  }

  void beginName() {
    if (count == members.length) {
      members = Arrays.copyOf(members, Math.max(16, 2 * count));
      Arrays.setAll(members, i -> i < count ? members[i] : new Member());
    }
    members[count].start = output.size();
    escapesBefore = output.escapes();
  }

  void endName() {
    Member member = members[count++];
    member.nameEnd = output.size();
    if (output.escapes() == escapesBefore) {
      member.unescaped = null;
      member.prefix = prefix(output.bytes(), member.start + 1, member.nameEnd - 1);
    } else {
      byte[] name = CanonicalString.unescape(output.bytes(), member.start, member.nameEnd);
      member.unescaped = name;
      member.prefix = prefix(name, 0, name.length);
    }
  }

  void endValue() {
    members[count - 1].end = output.size();
  }

  /**
   * The innermost object ends, and its members are put in order.
   *
   * @param first how many members there were when it began
   * @return false if two have the same name
   */
  boolean end(int first) {
    if (!ascending(first)) {
      int start = members[first].start;
      if (count - first > FEW) {
        Arrays.sort(members, first, count, order);
      } else {
        sortFew(first);
      }
      if (!ascending(first)) {
        return false;
      }
      rewrite(first, start);
    }
    count = first;
    return true;
  }

  private boolean ascending(int first) {
    for (int i = first + 1; i < count; i++) {
      if (compare(members[i - 1], members[i]) >= 0) {
        return false;
      }
    }
    return true;
  }

  private void sortFew(int first) {
    for (int i = first + 1; i < count; i++) {
      Member member = members[i];
      int at = i;
      while (at > first && compare(members[at - 1], member) > 0) {
        members[at] = members[at - 1];
        at--;
      }
      members[at] = member;
    }
  }

  private void rewrite(int first, int start) {
    byte[] unsorted = output.cut(start);
    for (int i = first; i < count; i++) {
      if (i > first) {
        output.add(',');
      }
      output.add(unsorted, members[i].start - start, members[i].end - start);
    }
  }

  /** By UTF-16 code units, as the RFC has it. */
  private int compare(Member a, Member b) {
    if (a.prefix != b.prefix) {
      return Long.compareUnsigned(a.prefix, b.prefix);
    }
    byte[] left = name(a);
    byte[] right = name(b);
    int same = Arrays.mismatch(left, right);
    return same < 0 || same == left.length || same == right.length
        ? Integer.compare(left.length, right.length)
        : Integer.compare(rank(left[same]), rank(right[same]));
  }

  private byte[] name(Member member) {
    return member.unescaped == null
        ? Arrays.copyOfRange(output.bytes(), member.start + 1, member.nameEnd - 1)
        : member.unescaped;
  }

  private static long prefix(byte[] bytes, int from, int to) {
    int length = Math.min(to - from, Long.BYTES);
    if (length > 0 && from + Long.BYTES <= bytes.length) {
      long prefix = (long) EIGHT.get(bytes, from) & (-1L << (Byte.SIZE * (Long.BYTES - length)));
      if ((prefix & HIGH_BITS) == 0) {
        return prefix;
      }
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (long) rank(bytes[from + i]) << (Byte.SIZE * (Long.BYTES - 1 - i));
    }
    return prefix;
  }

  /**
   * Bytes of UTF-8 sort as code points do. Code units do too, but for one thing: surrogate pairs,
   * in UTF-8 from F0 on, come before U+E000 to U+FFFF, in UTF-8 EE and EF.
   */
  private static int rank(byte utf8) {
    int unsigned = utf8 & 0xFF;
    return unsigned < 0xEE ? unsigned : unsigned < 0xF0 ? unsigned + 5 : unsigned - 2;
  }
}
