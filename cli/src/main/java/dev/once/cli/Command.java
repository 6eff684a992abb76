package dev.once.cli;

import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One of the things that {@code ./once} does. */
interface Command {

  /** Its options and its help. */
  CommandSpec spec();

  /**
   * Does it.
   *
   * @return the exit code
   */
  int run(ParseResult parsed, Shell shell) throws IOException;
}
