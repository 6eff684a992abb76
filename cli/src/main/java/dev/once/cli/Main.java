package dev.once.cli;

import dev.once.http.gateway.GatewayException;
import dev.once.http.gateway.config.ConfigurationException;
import dev.once.http.semantics.NearestWord;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The command line. A command is looked up before anything of another is loaded: a gateway should
 * be up fast.
 */
public final class Main {

  /** All is well. */
  static final int OK = 0;

  /** It was called in a wrong way, or cannot be done. One line for each problem says why. */
  static final int WRONG = 2;

  private static final int BUG = 3;

  private static final List<String> COMMANDS =
      List.of("gateway", "store", "config", "check", "explain", "demo");

  private static final String USAGE =
      """
      Once makes a mutation happen once.

        once demo                 a payments API, a gateway in front of it, and what that changes
        once gateway              idempotency keys for a service in any language
        once store check URL      is a store fit to hold keys?
        once store migrate URL    creates or upgrades its tables
        once config check FILE    is a configuration right, and which policy is in force?
        once check URL            does a server keep the rules for idempotency keys?
        once explain              how a request is seen: key, scope, canonical body, fingerprint

      Each has --help.
      """;

  private Main() {}

  public static void main(String[] arguments) {
    int code = run(arguments, System.in, System.out, System.err);
    System.out.flush();
    System.exit(code);
  }

  /** Runs a command in this process; returns its exit code. */
  public static int run(String[] arguments, InputStream in, PrintStream out, PrintStream err) {
    return run(arguments, new Shell(in, out, err, System.getenv()));
  }

  static int run(String[] arguments, Shell shell) {
    List<String> words = Arrays.asList(arguments);
    String name = words.isEmpty() ? "--help" : words.get(0);
    if (List.of("--help", "-h", "help").contains(name)) {
      shell.out().print(USAGE);
      return OK;
    }
    Command command = command(name);
    if (command == null) {
      String known = String.join(", ", COMMANDS);
      shell.err().println("once: " + name + ": " + NearestWord.unknown(name, COMMANDS, known));
      return WRONG;
    }
    return run(command, words.subList(1, words.size()), shell);
  }

  private static @Nullable Command command(String name) {
    return switch (name) {
      case "gateway" -> new GatewayCommand();
      case "store" -> new StoreCommand();
      case "config" -> new ConfigCommand();
      case "check" -> new CheckCommand();
      case "explain" -> new ExplainCommand();
      case "demo" -> new DemoCommand();
      default -> null;
    };
  }

  private static int run(Command command, List<String> arguments, Shell shell) {
    Parsing parsing = new Parsing(command.spec());
    try {
      ParseResult parsed = parsing.parse(arguments);
      if (parsed.hasMatchedOption("--help")) {
        parsing.printHelp(shell);
        return OK;
      }
      return command.run(parsed, shell);
    } catch (ParameterException e) {
      parsing.problems(e).forEach(shell.err()::println);
    } catch (ConfigurationException e) {
      e.problems().forEach(shell.err()::println);
    } catch (UsageException | GatewayException e) {
      shell.err().println(e.getMessage());
    } catch (IOException e) {
      shell.err().println("once: " + e);
    } catch (OutOfMemoryError e) {
      shell.err().println("once: out of memory (expected: less input, or a larger heap by -Xmx)");
    } catch (RuntimeException e) {
      shell.err().println("once: this is a bug; please report what follows");
      e.printStackTrace(shell.err());
      return BUG;
    }
    return WRONG;
  }
}
