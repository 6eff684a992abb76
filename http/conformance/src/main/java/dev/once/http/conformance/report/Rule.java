package dev.once.http.conformance.report;

/**
 * One thing that is asked of a server.
 *
 * @param id never changes its meaning, so that reports can be compared
 * @param section of the draft; empty beyond it
 * @param title a sentence that is true of a server that keeps the rule
 */
public record Rule(String id, String section, Level level, String title) {

  /** Whether the draft asks for it. */
  public boolean ofDraft() {
    return level != Level.BEYOND;
  }
}
