package dev.once.cli;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.semantics.canonical.CanonicalBody;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Says how a request is seen, without sending it anywhere. */
final class ExplainCommand implements Command {

  private static final int LARGEST = 16 * 1024 * 1024;

  private static final String FORM = "application/x-www-form-urlencoded";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once explain");
    spec.usageMessage()
        .description(
            "Says how a request is seen: its key and scope, the route and policy that decide, its",
            "canonical body and its fingerprint. Nothing is sent anywhere.%n")
        .customSynopsis(
            "once explain [--config FILE] [OPTION...] < REQUEST",
            "once explain [-X METHOD] [-H 'NAME: VALUE'...] [-d BODY] [OPTION...] URL")
        .footer(
            "",
            "Examples:",
            "  printf 'POST /payments HTTP/1.1\\nIdempotency-Key: \"k1\"\\n\\n' | once explain",
            "  once explain -H 'Idempotency-Key: k1' --json '{\"b\":1, \"a\":2}' /payments",
            "  once explain --config once.yaml --canonical < request.http");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("0..1")
            .type(String.class)
            .paramLabel("URL")
            .description("where the request goes; without it, a whole request is read")
            .build());
    spec.addArgGroup(
        ArgGroupSpec.builder()
            .validate(false)
            .heading("%nThe request, as curl takes it:%n")
            .addArg(text("METHOD", "the method (GET; POST with a body)", "-X", "--request"))
            .addArg(
                OptionSpec.builder("-H")
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .arity("1")
                    .paramLabel("'NAME: VALUE'")
                    .hideParamSyntax(true)
                    .description("a header; may be repeated")
                    .build())
            .addArg(
                text(
                    "BODY", "the body, or @FILE; a form unless a header says else", "-d", "--data"))
            .addArg(text("BODY", "the body, or @FILE, as application/json", "--json"))
            .build());
    spec.addOption(flag("--canonical", "print the canonical body alone, byte for byte"));
    spec.addOption(flag("--all", "print every value of the policy"));
    return SettingOptions.addPolicy(spec);
  }

  private static OptionSpec text(String label, String meaning, String... names) {
    return OptionSpec.builder(names)
        .type(String.class)
        .arity("1")
        .paramLabel(label)
        .description(meaning)
        .build();
  }

  private static OptionSpec flag(String name, String meaning) {
    return OptionSpec.builder(name).type(boolean.class).description(meaning).build();
  }

  @Override
  public int run(ParseResult parsed, Shell shell) throws IOException {
    // Nothing is sent, so no upstream is needed.
    Configuration configuration =
        Configuration.load(
            SettingOptions.sources(parsed, shell),
            Map.of(GatewayValue.UPSTREAM, "http://upstream.invalid"));
    RawRequest request = request(parsed, shell);
    if (parsed.matchedOptionValue("--canonical", false)) {
      CanonicalBody body =
          CanonicalBody.of(
              request.header("Content-Type"), request.header("Content-Encoding"), request.body());
      shell.out().write(body.bytes().toArray());
    } else {
      boolean all = parsed.matchedOptionValue("--all", false);
      shell.out().print(new Explanation(configuration, request).text(all));
    }
    shell.out().flush();
    return Main.OK;
  }

  private static RawRequest request(ParseResult parsed, Shell shell) throws IOException {
    String url = parsed.matchedPositionalValue(0, (String) null);
    List<String> lines = parsed.matchedOptionValue("-H", List.of());
    if (url == null) {
      for (String name : List.of("-X", "-H", "-d", "--json")) {
        if (parsed.hasMatchedOption(name)) {
          throw new UsageException(
              name + ": without a URL (expected: once explain " + name + " ... URL)");
        }
      }
      if (shell.isInTerminal()) {
        shell.err().println("Type or paste a request, and end it with Ctrl-D (or see --help).");
      }
      byte[] input = limited(shell.in(), "request");
      if (input.length == 0) {
        throw new UsageException("request: nothing on standard input (see once explain --help)");
      }
      return RequestText.parse(input);
    }
    List<Header> headers = new ArrayList<>();
    lines.forEach(line -> headers.add(RequestText.header(line)));
    String data = parsed.matchedOptionValue("-d", (String) null);
    String json = parsed.matchedOptionValue("--json", (String) null);
    if (data != null && json != null) {
      throw new UsageException("--json: together with -d (expected: one of them)");
    }
    Bytes body = body(data == null ? json : data);
    RawRequest typed = new RawRequest("", RawRequest.target(url), headers, body);
    if (!url.startsWith("/") && typed.header("Host") == null) {
      headers.add(new Header("Host", URI.create(url).getRawAuthority()));
    }
    if (body.size() > 0 && typed.header("Content-Type") == null) {
      headers.add(new Header("Content-Type", json == null ? FORM : "application/json"));
    }
    boolean hasBody = data != null || json != null;
    String method = parsed.matchedOptionValue("-X", hasBody ? "POST" : "GET");
    return new RawRequest(method, typed.target(), headers, body);
  }

  private static Bytes body(@Nullable String text) throws IOException {
    if (text == null) {
      return Bytes.EMPTY;
    }
    if (!text.startsWith("@")) {
      return Bytes.utf8(text);
    }
    Path file = Path.of(text.substring(1));
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new UsageException(
          "-d: '%s' (expected: a text, or @ and a file that can be read; there is none in %s)"
              .formatted(text, file.toAbsolutePath().normalize().getParent()));
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Bytes.wrap(limited(in, text));
    }
  }

  /** All of it, unless it is more than a gateway is ever asked to hold back. */
  private static byte[] limited(InputStream in, String what) throws IOException {
    byte[] bytes = in.readNBytes(LARGEST + 1);
    if (bytes.length > LARGEST) {
      throw new UsageException(what + ": more than 16 MB (expected: at most that)");
    }
    return bytes;
  }
}
