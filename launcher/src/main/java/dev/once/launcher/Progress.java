package dev.once.launcher;

import java.io.PrintStream;

/** Tells what is going on: on a terminal in one line that changes, elsewhere in a few lines. */
final class Progress {

  private static final long MEGABYTE = 1_000_000;
  private static final int PARTS = 4;

  private final PrintStream out;
  private final boolean terminal;
  private String what = "";
  private long total;
  private long done;
  private long shown;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line that stays. */
  synchronized void say(String line) {
    out.println("once: " + line);
  }

  synchronized void start(String name, long bytes) {
    what = name;
    total = Math.max(bytes, 1);
    done = 0;
    shown = -1;
    show();
  }

  /** More has come; or less, when a download is begun again. */
  synchronized void add(long bytes) {
    done += bytes;
    show();
  }

  /** Ends the line that changes. */
  synchronized void end() {
    if (terminal) {
      out.println();
    }
  }

  private void show() {
    long step = terminal ? done / MEGABYTE : done * PARTS / total;
    if (step > shown) {
      shown = step;
      String line = "once: %s, %d of %d MB".formatted(what, rounded(done), rounded(total));
      if (terminal) {
        out.print("\r" + line);
      } else {
        out.println(line);
      }
      out.flush();
    }
  }

  private static long rounded(long bytes) {
    return (bytes + MEGABYTE / 2) / MEGABYTE;
  }
}
