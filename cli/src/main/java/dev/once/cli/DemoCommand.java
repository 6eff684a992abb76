package dev.once.cli;

import dev.once.cli.demo.CommandsToTry;
import dev.once.cli.demo.DemoScript;
import dev.once.cli.demo.DemoServers;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Shows what a gateway changes for a service that charges cards. */
final class DemoCommand implements Command {

  private static final int PORT = 8080;
  private static final int PORTS_TO_TRY = 50;

  /** Something was not as it should be. */
  private static final int NOT_AS_SHOWN = 1;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once demo");
    spec.usageMessage()
        .description(
            "Starts a payments API and a gateway in front of it, shows what a key changes, says what",
            "to try, and stays up until Ctrl-C. Keys are kept in a file in a temporary folder.%n")
        .customSynopsis("once demo [--port PORT] [--once]")
        .footer("", "Examples:", "  once demo", "  once demo --port 9090 --once");
    spec.addOption(
        OptionSpec.builder("--port")
            .type(String.class)
            .paramLabel("PORT")
            .description("where the gateway listens (8080, or the next free one)")
            .build());
    spec.addOption(
        OptionSpec.builder("--once").type(boolean.class).description("end after the show").build());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Shell shell) throws IOException {
    Logging.atLevel("error");
    int wanted = port(parsed.matchedOptionValue("--port", String.valueOf(PORT)));
    int port = freePort(wanted);
    try (DemoServers stage = DemoServers.open(port, freePort(port + 1))) {
      if (port != wanted) {
        shell.out().printf("Port %d is taken; the gateway is on %d.%n", wanted, port);
      }
      shell
          .out()
          .printf(
              "A payments API on %s, and a gateway in front of it on %s.%n%n",
              stage.api().url(), stage.gateway());
      DemoScript show =
          new DemoScript(stage.api(), stage.gateway(), shell.out(), shell.hasColours());
      boolean asShown = show.run();
      if (parsed.matchedOptionValue("--once", false)) {
        return asShown ? Main.OK : NOT_AS_SHOWN;
      }
      shell.out().print(CommandsToTry.text(stage.api().url(), stage.gateway(), stage.policyPage()));
      shell.out().println("\nCtrl-C ends it.");
      ShutdownWait.awaitThenRun(stage::close);
      return Main.OK;
    }
  }

  private static int port(String text) {
    if (!text.matches("\\d{1,5}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > 65_535) {
      throw new UsageException("--port: '" + text + "' (expected: 1 to 65535)");
    }
    return Integer.parseInt(text);
  }

  private static int freePort(int from) throws IOException {
    int last = Math.min(from + PORTS_TO_TRY, 65_535);
    for (int port = from; port <= last; port++) {
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (BindException e) {
        // Taken; the next one.
      }
    }
    throw new UsageException(
        "--port: " + from + " to " + last + " are taken (expected: a free one)");
  }
}
