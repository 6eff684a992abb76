package dev.once.cli;

import dev.once.core.store.StoreUrl;
import dev.once.http.gateway.Gateway;
import dev.once.http.gateway.GatewaySettings;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.gateway.config.ReloadingFile;
import dev.once.http.gateway.config.Sources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Runs a gateway until it is told to stop. */
final class GatewayCommand implements Command {

  private static final Duration LOOK_AT_FILE_EVERY = Duration.ofSeconds(1);

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("once gateway");
    spec.usageMessage()
        .description("Idempotency keys for a service in any language: a gateway in front of it.%n")
        .customSynopsis("once gateway --upstream URL [--config FILE] [OPTION...]")
        .footer(
            "",
            "A value comes from a flag, or else from the file, or else from the environment",
            "(ONCE_UPSTREAM, ONCE_ON_BUSY, ...; IDEMPOTENCY_ENABLED, IDEMPOTENCY_KEY_TTL,",
            "IDEMPOTENCY_STORAGE, IDEMPOTENCY_KEY_MIN_LENGTH), or else it has its default. What a",
            "route of the file says is stronger than all of these. The file is read again when it",
            "changes: routes, policies, callers and origins take effect at once.",
            "",
            "A store is memory:, sqlite:FILE, postgresql://USER:PASSWORD@HOST/DATABASE, mariadb://...,",
            "redis://..., rediss://..., redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS.",
            "Where others can see arguments, put a URL with a password into ONCE_STORE.",
            "IDEMPOTENCY_STORAGE=redis takes REDIS_HOST, REDIS_PORT, REDIS_PASSWORD, REDIS_DATABASE",
            "and REDIS_TIMEOUT. once store check URL says whether a store is fit.",
            "",
            "Examples:",
            "  once gateway --upstream http://localhost:3000",
            "  once gateway --upstream http://localhost:3000 --listen :80 --required --ttl 72h",
            "  once gateway --config examples/gateway/booking.yaml --store memory:",
            "  once gateway --upstream http://localhost:3000 --store postgresql://once@db/once",
            "  once gateway --upstream http://localhost:3000 --store redis://cache \\",
            "      --fallback postgresql://once@db/once",
            "  once config check examples/gateway/booking.yaml      what would be in force");
    return SettingOptions.addAll(spec);
  }

  @Override
  public int run(ParseResult parsed, Shell shell) {
    Sources sources = SettingOptions.sources(parsed, shell);
    Configuration configuration = Configuration.load(sources);
    Logging.atLevel(configuration.logLevel());
    Gateway gateway = Gateway.start(configuration.settings());
    ReloadingFile reloading = watch(sources, configuration, gateway);
    print(configuration, gateway, shell);
    ShutdownWait.awaitThenRun(
        () -> {
          if (reloading != null) {
            reloading.close();
          }
          gateway.close();
        });
    return Main.OK;
  }

  private static @Nullable ReloadingFile watch(
      Sources sources, Configuration configuration, Gateway gateway) {
    return sources.file() == null
        ? null
        : ReloadingFile.watch(
            sources, configuration, LOOK_AT_FILE_EVERY, later -> gateway.reload(later.settings()));
  }

  private static void print(Configuration configuration, Gateway gateway, Shell shell) {
    GatewaySettings settings = configuration.settings();
    String scheme = settings.tls() == null ? "http" : "https";
    int routes = settings.routes().routes().size();
    StringBuilder text = new StringBuilder("once gateway is ready\n");
    line(text, "clients", url(scheme, settings.listen(), gateway.port()));
    line(text, "upstream", settings.upstream().toString());
    line(text, "store", settings.store().toString());
    line(text, "cache", settings.cache());
    line(text, "fallback", settings.fallback());
    line(
        text,
        "profile",
        "%s, %d route%s"
            .formatted(configuration.show(GatewayValue.PROFILE), routes, routes == 1 ? "" : "s"));
    GatewaySettings.Address admin = settings.admin();
    if (admin != null) {
      String url = url("http", admin, gateway.adminPort());
      line(text, "admin", url + "  /health/ready /metrics");
    }
    if (admin != null || settings.docs() != null) {
      line(text, "policy", gateway.policyPage().toString());
    }
    shell.out().print(text);
    shell.out().flush();
  }

  private static void line(StringBuilder text, String name, @Nullable StoreUrl url) {
    if (url != null) {
      line(text, name, url.toString());
    }
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("  %-9s %s%n".formatted(name, value));
  }

  private static String url(String scheme, GatewaySettings.Address address, int port) {
    String host = address.host().contains(":") ? "[" + address.host() + "]" : address.host();
    return scheme + "://" + host + ":" + port;
  }
}
