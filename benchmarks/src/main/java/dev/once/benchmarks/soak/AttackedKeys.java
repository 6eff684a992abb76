package dev.once.benchmarks.soak;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Keys that attackers used last. None of them may be locked when nobody runs it any more. */
final class AttackedKeys {

  static final String BODY = "{}";
  private static final int REMEMBERED = 200;

  private final Deque<Used> last = new ArrayDeque<>();

  /** A request that can be sent again: {@code POST} with the body {@link #BODY}. */
  record Used(String path, String key) {}

  synchronized void used(String path, String key) {
    last.addLast(new Used(path, key));
    if (last.size() > REMEMBERED) {
      last.removeFirst();
    }
  }

  synchronized List<Used> last() {
    return List.copyOf(last);
  }
}
