package dev.once.cli;

import dev.once.core.store.Stores;
import dev.once.http.semantics.NearestWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reads arguments, and says what is wrong with them in our own words. */
final class Parsing {

  private static final int WIDTH = 100;

  private final CommandSpec spec;
  private final CommandLine line;

  Parsing(CommandSpec spec) {
    this.spec = spec;
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("this text").build());
    spec.usageMessage().width(WIDTH);
    spec.usageMessage().sortOptions(false);
    line = new CommandLine(spec);
    line.setExpandAtFiles(false); // an @ is a value's, as in curl
    line.setUsageHelpLongOptionsMaxWidth(34);
  }

  ParseResult parse(List<String> arguments) {
    return line.parseArgs(arguments.toArray(new String[0]));
  }

  void printHelp(Shell shell) {
    line.usage(shell.out(), shell.hasColours() ? Ansi.ON : Ansi.OFF);
  }

  /** One line for each problem. */
  List<String> problems(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched.getUnmatched());
    }
    if (e instanceof MissingParameterException missing) {
      return missing.getMissing().stream().map(this::missing).toList();
    }
    return List.of("once: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
  }

  private List<String> unmatched(List<String> words) {
    List<String> known = new ArrayList<>(spec.optionsMap().keySet());
    List<String> flags =
        words.stream()
            .filter(word -> word.startsWith("-"))
            .map(word -> word.replaceFirst("=.*", ""))
            .map(word -> word + ": " + NearestWord.unknown(word, known, "see --help"))
            .toList();
    return flags.isEmpty()
        ? List.of("'" + Stores.masked(words.get(0)) + "': not expected here (see --help)")
        : flags;
  }

  private String missing(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? option.longestName() + ": no value (expected: " + option.paramLabel() + ")"
        : argument.paramLabel() + ": missing (expected: " + usage() + "; see --help)";
  }

  private String usage() {
    return Arrays.stream(spec.usageMessage().customSynopsis())
        .map(String::strip)
        .collect(Collectors.joining(", or "));
  }
}
