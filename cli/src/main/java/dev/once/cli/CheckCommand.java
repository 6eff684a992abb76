package dev.once.cli;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetBuilder;
import dev.once.http.conformance.TargetException;
import dev.once.http.conformance.report.JUnitXmlWriter;
import dev.once.http.conformance.report.JsonWriter;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.TableWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Says which rules for idempotency keys a server keeps. */
final class CheckCommand implements Command {

  /** A rule is broken. */
  private static final int BROKEN = 1;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once check");
    spec.usageMessage()
        .description(
            "Says which rules for idempotency keys a server keeps. It makes about 130 requests,",
            "and leaves behind what they made: use a server that is there to be tried.%n")
        .customSynopsis("once check URL [OPTION...]")
        .footer(
            "",
            "Exit code 0: no rule is broken. 1: some are. 2: it could not be checked.",
            "",
            "Examples:",
            "  once check http://localhost:8080/payments",
            "  once check http://localhost:8080/payments --body '{\"amount\":1,\"note\":\"{unique}\"}' \\",
            "      --count-url http://localhost:3000/payments --count-pointer /count \\",
            "      --slow-header 'X-Slow: 1'",
            "  once check https://test.example/leads --key-header X-Idempotency-Key --key-style uuid \\",
            "      --mismatch executed --required yes --junit report.xml");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("1")
            .required(true)
            .type(String.class)
            .paramLabel("URL")
            .description("an endpoint that makes something; {unique} as in --body")
            .build());
    for (CheckFlag flag : CheckFlag.values()) {
      spec.addOption(
          OptionSpec.builder(flag.option())
              .type(List.class)
              .auxiliaryTypes(String.class)
              .arity("1")
              .paramLabel(flag.placeholder())
              .hideParamSyntax(true)
              .description(flag.meaning())
              .build());
    }
    spec.addOption(flag("--insecure", "accept any certificate"));
    spec.addOption(flag("--strict", "what is missing beyond the draft breaks the report, too"));
    spec.addOption(file("--json", "write the report as JSON, too"));
    spec.addOption(file("--junit", "write the report as JUnit's XML, too"));
    spec.addOption(flag("--no-color", "no colours, also on a terminal"));
    return spec;
  }

  private static OptionSpec flag(String name, String meaning) {
    return OptionSpec.builder(name).type(boolean.class).description(meaning).build();
  }

  private static OptionSpec file(String name, String meaning) {
    return OptionSpec.builder(name)
        .type(Path.class)
        .paramLabel("FILE")
        .description(meaning)
        .build();
  }

  @Override
  public int run(ParseResult parsed, Shell shell) throws IOException {
    Logging.atLevel("warn");
    Path json = report("--json", parsed);
    Path junit = report("--junit", parsed);
    Report report;
    try {
      report = Conformance.run(target(parsed), progress(shell));
    } catch (TargetException e) {
      String message = String.valueOf(e.getMessage());
      String option = "--" + message.replaceFirst(":.*", "");
      boolean ofFlag = parsed.commandSpec().optionsMap().containsKey(option);
      throw new UsageException(ofFlag ? "--" + message : message);
    }
    boolean colours = shell.hasColours() && !parsed.matchedOptionValue("--no-color", false);
    new TableWriter(colours).write(report, shell.out());
    write(json, report, new JsonWriter()::write);
    write(junit, report, new JUnitXmlWriter()::write);
    return report.broken() ? BROKEN : Main.OK;
  }

  /** Where a report is to be written: to learn after all requests that it cannot is too late. */
  private static @Nullable Path report(String option, ParseResult parsed) {
    Path file = parsed.matchedOptionValue(option, (Path) null);
    if (file != null) {
      Path folder = file.toAbsolutePath().normalize().getParent();
      boolean fits = folder != null && Files.isWritable(folder) && !Files.isDirectory(file);
      if (!fits) {
        throw new UsageException(
            "%s: %s (expected: a file that can be written, in a folder that is there)"
                .formatted(option, file));
      }
    }
    return file;
  }

  private static Target target(ParseResult parsed) {
    String url = parsed.matchedPositionalValue(0, "");
    TargetBuilder target = Target.at(url);
    for (CheckFlag flag : CheckFlag.values()) {
      List<String> texts = parsed.matchedOptionValue(flag.option(), List.of());
      for (String text : texts) {
        target = flag.set(target, text);
      }
    }
    return target
        .insecure(parsed.matchedOptionValue("--insecure", false))
        .strict(parsed.matchedOptionValue("--strict", false))
        .build();
  }

  private static Listener progress(Shell shell) {
    return shell.isErrTerminal() ? new CheckProgress(shell.err()) : Listener.NONE;
  }

  private interface ReportWriter {
    void write(Report report, Writer out) throws IOException;
  }

  private static void write(@Nullable Path file, Report report, ReportWriter writer)
      throws IOException {
    if (file != null) {
      try (Writer out = Files.newBufferedWriter(file)) {
        writer.write(report, out);
      }
    }
  }
}
