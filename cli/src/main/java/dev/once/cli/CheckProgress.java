package dev.once.cli;

import dev.once.http.conformance.Listener;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;
import java.io.PrintStream;

/** One line on a terminal that says which rule is being checked. */
final class CheckProgress implements Listener {

  private static final String CLEAR = "\r\u001b[K";
  private static final int WIDTH = 60;

  private final PrintStream err;

  CheckProgress(PrintStream err) {
    this.err = err;
  }

  @Override
  public void started(Rule rule, int number, int total) {
    String title = rule.title();
    String shown = title.length() > WIDTH ? title.substring(0, WIDTH) + "..." : title;
    err.printf("%s%d/%d %s", CLEAR, number, total, shown);
    err.flush();
  }

  @Override
  public void finished(Result result) {
    err.print(CLEAR);
    err.flush();
  }
}
