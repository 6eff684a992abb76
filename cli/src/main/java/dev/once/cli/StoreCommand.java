package dev.once.cli;

import dev.once.core.store.Finding;
import dev.once.core.store.Finding.Level;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreUrl;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Says whether a store is fit to hold keys, and gives it the tables that it needs. */
final class StoreCommand implements Command {

  /** The store is unfit, or could not be changed. */
  private static final int UNFIT = 1;

  private static final String VARIABLE = "ONCE_STORE";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once store");
    spec.usageMessage()
        .description(
            "check says whether a store is fit to hold keys: version, schema, durability, eviction,",
            "latency and clock, as far as the store has them. It changes nothing, but tries each",
            "step on a key of its own in a Redis. migrate creates the tables of Once in a database,",
            "or brings them to this version; it may be run again, and by several at once.%n")
        .customSynopsis("once store check [URL]", "       once store migrate [URL]")
        .footer(
            "",
            "Exit code 0: fit, with or without warnings; or migrated. 1: unfit, or it could not be",
            "reached or changed. 2: not a URL of a store.",
            "",
            "Examples:",
            "  once store migrate postgresql://once:secret@db.example/once",
            "  once store check postgresql://once:secret@db.example/once",
            "  once store check redis-sentinel://s1:26379,s2:26379#main",
            "  ONCE_STORE=rediss://:secret@cache.example once store check");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("1")
            .required(true)
            .type(String.class)
            .paramLabel("check|migrate")
            .hidden(true)
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .arity("0..1")
            .type(String.class)
            .paramLabel("URL")
            .description("as for --store of once gateway; otherwise what " + VARIABLE + " says")
            .build());
    spec.addOption(
        OptionSpec.builder("--no-color")
            .type(boolean.class)
            .description("no colours, also on a terminal")
            .build());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Shell shell) {
    Logging.atLevel("off");
    String action = parsed.matchedPositionalValue(0, "");
    StoreUrl url = url(action, parsed, shell);
    return switch (action) {
      case "check" -> {
        boolean colours = shell.hasColours() && !parsed.matchedOptionValue("--no-color", false);
        yield check(url, colours, shell);
      }
      case "migrate" -> migrate(url, shell);
      default -> throw new IllegalStateException(action);
    };
  }

  private static StoreUrl url(String action, ParseResult parsed, Shell shell) {
    if (!action.equals("check") && !action.equals("migrate")) {
      String shown = Stores.masked(action);
      throw new UsageException("once store: '" + shown + "' (expected: check or migrate)");
    }
    String given = parsed.matchedPositionalValue(1, (String) null);
    String name = given == null ? VARIABLE : "URL";
    String text = given == null ? shell.environment().getOrDefault(VARIABLE, "").strip() : given;
    if (text.isEmpty()) {
      throw new UsageException("URL: missing (expected: " + Stores.expected(StoreRole.STORE) + ")");
    }
    try {
      return Stores.parse(text);
    } catch (StoreUrlException e) {
      throw new UsageException(name + ": " + e.getMessage());
    }
  }

  private static int check(StoreUrl url, boolean colours, Shell shell) {
    List<Finding> findings = Stores.check(url);
    shell.out().println(url + "\n");
    shell.out().print(FindingTable.of(findings, colours));
    boolean unfit = findings.stream().anyMatch(finding -> finding.level() == Level.UNFIT);
    long warnings = findings.stream().filter(f -> f.level() == Level.WARNING).count();
    shell.out().println("\n" + verdict(unfit, warnings));
    return unfit ? UNFIT : Main.OK;
  }

  private static String verdict(boolean unfit, long warnings) {
    if (unfit) {
      return "This store is unfit to hold keys.";
    }
    return switch ((int) warnings) {
      case 0 -> "This store is fit to hold keys.";
      case 1 -> "This store is fit to hold keys, with a warning.";
      default -> "This store is fit to hold keys, with " + warnings + " warnings.";
    };
  }

  private static int migrate(StoreUrl url, Shell shell) {
    try {
      shell.out().println(url + ": " + Stores.migrate(url));
      return Main.OK;
    } catch (StoreException e) {
      shell.err().println("store: " + e.getMessage());
      return UNFIT;
    }
  }
}
