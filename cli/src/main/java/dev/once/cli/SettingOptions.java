package dev.once.cli;

import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.gateway.config.GatewayValue.Topic;
import dev.once.http.gateway.config.Sources;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.PolicyValue.Kind;
import dev.once.http.semantics.PolicyValue.Word;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The flags that set what a gateway is told, made from the tables of values: there is no second
 * list to forget.
 */
final class SettingOptions {

  private static final Set<String> BOOLEANS = Set.of("true", "false", "yes", "no", "on", "off");

  private SettingOptions() {}

  /** All of them. */
  static CommandSpec addAll(CommandSpec spec) {
    return add(spec, value -> true);
  }

  /** Those that decide how a request is seen. */
  static CommandSpec addPolicy(CommandSpec spec) {
    Set<GatewayValue> others = Set.of(GatewayValue.DOCS_URL, GatewayValue.PROFILE);
    return add(spec, value -> value.topic() == Topic.CALLERS || others.contains(value));
  }

  private static CommandSpec add(CommandSpec spec, Predicate<GatewayValue> which) {
    spec.addOption(
        OptionSpec.builder("--config")
            .type(Path.class)
            .paramLabel("FILE")
            .description("YAML with the same names, and routes; flags are stronger than the file")
            .build());
    for (Topic topic : Topic.values()) {
      ArgGroupSpec.Builder group = group(heading(topic));
      List<GatewayValue> values =
          Arrays.stream(GatewayValue.values())
              .filter(value -> value.topic() == topic && which.test(value))
              .toList();
      values.forEach(value -> group.addArg(option(value)));
      if (topic == Topic.POLICY) {
        policyValues(true).forEach(value -> group.addArg(option(value)));
      }
      if (!values.isEmpty()) {
        spec.addArgGroup(group.build());
      }
    }
    ArgGroupSpec.Builder answers = group("%nPolicy: what becomes of a request with a key:%n");
    answers.addArg(option("the same as --retention", "DURATION", false, "--ttl"));
    policyValues(false).forEach(value -> answers.addArg(option(value)));
    return spec.addArgGroup(answers.build());
  }

  private static ArgGroupSpec.Builder group(String heading) {
    return ArgGroupSpec.builder().validate(false).multiplicity("0..1").heading(heading);
  }

  private static String heading(Topic topic) {
    return switch (topic) {
      case UPSTREAM -> "%nThe service behind:%n";
      case LISTENING -> "%nWho connects where:%n";
      case LIMITS -> "%nHow much clients may take:%n";
      case STORE -> "%nWhere keys and answers are kept:%n";
      case CALLERS -> "%nWhose key it is:%n";
      case RUNNING -> "%nRunning it:%n";
      case POLICY ->
          "%nPolicy: which requests and keys (defaults are those of the profile ietf):%n";
    };
  }

  /** Those about the request come first, those about the answer after them. */
  private static List<PolicyValue> policyValues(boolean ofRequest) {
    return Arrays.stream(PolicyValue.values())
        .filter(value -> value.compareTo(PolicyValue.RETENTION) < 0 == ofRequest)
        .toList();
  }

  private static OptionSpec option(GatewayValue value) {
    String byDefault = value.byDefault();
    String meaning =
        value.meaning()
            + (byDefault == null ? "; needed" : "")
            + (value == GatewayValue.PROFILE ? ": " + value.expected() : "")
            + (byDefault == null || byDefault.isEmpty() ? "" : " (" + byDefault + ")");
    return option(meaning, value.placeholder(), value.isBoolean(), "--" + value.label());
  }

  private static OptionSpec option(PolicyValue value) {
    String byDefault = value.show(HttpProfile.IETF.policy());
    String meaning = value.meaning() + (byDefault.isEmpty() ? "" : " (" + byDefault + ")");
    return option(meaning, placeholder(value), value.kind() == Kind.BOOLEAN, "--" + value.label());
  }

  private static OptionSpec option(
      String meaning, String placeholder, boolean isBoolean, String name) {
    OptionSpec.Builder option =
        OptionSpec.builder(name)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(isBoolean ? "BOOLEAN" : placeholder)
            .hideParamSyntax(!isBoolean)
            .description(meaning);
    return isBoolean
        ? option.arity("0..1").fallbackValue("true").preprocessor(SettingOptions::bare).build()
        : option.arity("1").build();
  }

  /** A boolean without a value is true; what follows it is its value only if it can be. */
  private static boolean bare(
      Stack<String> arguments, CommandSpec spec, ArgSpec argument, Map<String, Object> info) {
    boolean attached = "=".equals(info.get("separator"));
    if (!attached && (arguments.isEmpty() || !BOOLEANS.contains(arguments.peek()))) {
      arguments.push("true");
    }
    return false;
  }

  private static String placeholder(PolicyValue value) {
    return value.kind() == Kind.WORD
        ? value.words().stream().map(Word::text).collect(Collectors.joining("|"))
        : value.kind().name();
  }

  /** What the flags, the file that they name, and the environment give. */
  static Sources sources(ParseResult parsed, Shell shell) {
    return sources(parsed, parsed.matchedOptionValue("--config", (Path) null), shell);
  }

  static Sources sources(ParseResult parsed, @Nullable Path file, Shell shell) {
    Map<String, List<String>> flags = new LinkedHashMap<>();
    for (OptionSpec option : parsed.matchedOptions()) {
      String label = option.longestName().substring(2);
      boolean setting =
          GatewayValue.labelled(label).isPresent() || PolicyValue.labelled(label).isPresent();
      if (setting) {
        flags.put(label, List.copyOf(option.getValue()));
      }
    }
    return new Sources(flags, file, shell.environment());
  }
}
