package dev.once.cli;

import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.PolicyTable;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Says whether a configuration is right, and what is in force under it. */
final class ConfigCommand implements Command {

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once config");
    spec.usageMessage()
        .description("Says whether a configuration is right, and which policy is in force.%n")
        .customSynopsis("once config check FILE [--all] [OPTION...]")
        .footer(
            "",
            "The options are those of once gateway, as are the variables of the environment.",
            "Exit code 0: it is right. 2: it is not, and each problem is told with its line.",
            "",
            "Examples:",
            "  once config check examples/gateway/portal.yaml",
            "  once config check once.yaml --all --profile strict");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("1")
            .required(true)
            .type(String.class)
            .paramLabel("check")
            .hidden(true)
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .arity("1")
            .required(true)
            .type(Path.class)
            .paramLabel("FILE")
            .description("the YAML to look at")
            .build());
    spec.addOption(
        OptionSpec.builder("--all")
            .type(boolean.class)
            .description("tell every value of every route")
            .build());
    return SettingOptions.addAll(spec);
  }

  @Override
  public int run(ParseResult parsed, Shell shell) {
    String action = parsed.matchedPositionalValue(0, "");
    if (!action.equals("check")) {
      throw new UsageException("once config: '" + action + "' (expected: check)");
    }
    Path file = parsed.matchedPositionalValue(1, (Path) null);
    Path byFlag = parsed.matchedOptionValue("--config", (Path) null);
    if (byFlag != null) {
      throw new UsageException("--config: " + byFlag + " (expected: as FILE)");
    }
    Configuration configuration = Configuration.load(SettingOptions.sources(parsed, file, shell));
    boolean all = parsed.matchedOptionValue("--all", false);
    shell.out().println(file + " is right.\n");
    shell.out().print(PolicyTable.of(configuration, all));
    return Main.OK;
  }
}
