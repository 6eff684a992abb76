package dev.once.http.gateway.config;

import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.http.gateway.ClientLimits;
import dev.once.http.gateway.TrustedProxies;
import dev.once.http.semantics.HttpProfile;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every setting of a gateway that is not part of a policy, by the name that flags, files and the
 * environment use. {@link dev.once.http.semantics.PolicyValue} lists the others.
 */
public enum GatewayValue {
  UPSTREAM(
      Topic.UPSTREAM,
      "upstream",
      "the service behind; a path is put before every request's",
      "URL",
      "a URL such as http://localhost:3000",
      null,
      (builder, text) -> builder.upstream = SettingText.upstream(text)),
  UPSTREAM_CA(
      Topic.UPSTREAM,
      "upstream-ca",
      "certificates to trust for an https upstream, instead of the JDK's",
      "FILE",
      "a file in PEM, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.upstreamCa = SettingText.file(text))),
  CONNECTIONS(
      Topic.UPSTREAM,
      "connections",
      "most connections to the upstream",
      "NUMBER",
      "1 or more",
      "256",
      (builder, text) -> builder.connections = SettingText.positive(text)),
  CONNECT_TIMEOUT(
      Topic.UPSTREAM,
      "connect-timeout",
      "how long connecting to the upstream may take",
      Text.DURATION,
      Text.A_DURATION,
      "5s",
      (builder, text) -> builder.connectTimeout = SettingText.duration(text)),
  RESPONSE_TIMEOUT(
      Topic.UPSTREAM,
      "response-timeout",
      "how long the upstream may be silent",
      Text.DURATION,
      Text.A_DURATION,
      "60s",
      (builder, text) -> builder.responseTimeout = SettingText.duration(text)),
  IDLE_TIMEOUT(
      Topic.UPSTREAM,
      "idle-timeout",
      "how long an unused upstream connection is kept; less than the upstream keeps it",
      Text.DURATION,
      Text.A_DURATION,
      "4s",
      (builder, text) -> builder.idleTimeout = SettingText.duration(text)),
  LISTEN(
      Topic.LISTENING,
      "listen",
      "where clients connect",
      Text.HOST_PORT,
      "HOST:PORT, or a port alone; 0 is any free one",
      "0.0.0.0:8080",
      (builder, text) -> builder.listen = SettingText.address(text, "0.0.0.0")),
  TLS_CERTIFICATE(
      Topic.LISTENING,
      "tls-certificate",
      "for https: the certificate and those above it",
      "FILE",
      "a file in PEM, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.tlsCertificate = SettingText.file(text))),
  TLS_KEY(
      Topic.LISTENING,
      "tls-key",
      "for https: the private key",
      "FILE",
      "a file in PEM, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.tlsKey = SettingText.file(text))),
  ADMIN(
      Topic.LISTENING,
      "admin",
      "where operators connect: health, metrics and the policy page",
      Text.HOST_PORT,
      "HOST:PORT, a port alone, or none",
      "127.0.0.1:8081",
      ifNotNone((builder, text) -> builder.admin = SettingText.address(text, "127.0.0.1"))),
  DOCS_URL(
      Topic.LISTENING,
      "docs-url",
      "the policy page as clients reach it, for the links in refusals",
      "URL",
      "a URL such as https://api.example/docs/idempotency, or none for refusals without links",
      Text.NONE,
      ifNotNone((builder, text) -> builder.docs = SettingText.webUrl(text))),
  CORS_ORIGINS(
      Topic.LISTENING,
      true,
      "cors-origins",
      "whose pages may send keys and read what the gateway says",
      "LIST",
      "a list of origins such as https://shop.example, or * for all",
      "",
      (builder, text) -> builder.corsOrigins = SettingText.origins(text)),
  MAX_CONNECTIONS(
      Topic.LIMITS,
      "max-connections",
      "most connections of clients, and most HTTP/2 streams; further ones are closed",
      "NUMBER",
      "1 or more, or auto: one for each 192 KB of heap, up to 10000",
      Text.AUTO,
      (builder, text) ->
          builder.maxConnections =
              text.equals(Text.AUTO)
                  ? ClientLimits.connectionsFor(Runtime.getRuntime().maxMemory())
                  : SettingText.positive(text)),
  HEAD_TIMEOUT(
      Topic.LIMITS,
      "head-timeout",
      "how long a client may take to send a request's head",
      Text.DURATION,
      Text.A_DURATION,
      "10s",
      (builder, text) -> builder.headTimeout = SettingText.duration(text)),
  CLIENT_IDLE_TIMEOUT(
      Topic.LIMITS,
      "client-idle-timeout",
      "how long a client's connection may be open without a request",
      Text.DURATION,
      Text.A_DURATION,
      "75s",
      (builder, text) -> builder.clientIdleTimeout = SettingText.duration(text)),
  BODY_TIMEOUT(
      Topic.LIMITS,
      "body-timeout",
      "how long a body with a key may take; others must bring 500 bytes a second meanwhile",
      Text.DURATION,
      Text.A_DURATION,
      "60s",
      (builder, text) -> builder.bodyTimeout = SettingText.duration(text)),
  MAX_HELD_BYTES(
      Topic.LIMITS,
      "max-held-bytes",
      "most bytes of bodies that are held in memory; beyond it, keys get 503",
      "SIZE",
      "bytes, or with k or m, or auto: a quarter of the heap",
      Text.AUTO,
      (builder, text) ->
          builder.maxHeldBytes =
              text.equals(Text.AUTO)
                  ? ClientLimits.heldBytesFor(Runtime.getRuntime().maxMemory())
                  : SettingText.size(text)),
  STORE(
      Topic.STORE,
      "store",
      "where keys and answers are kept",
      "URL",
      Stores.expected(StoreRole.STORE),
      "sqlite:once.db",
      (builder, text) -> builder.store = SettingText.store(text, StoreRole.STORE)),
  CACHE(
      Topic.STORE,
      "cache",
      "a Redis in front of a database, for replays; to lose it costs speed only",
      "URL",
      Text.orNone(StoreRole.CACHE),
      Text.NONE,
      ifNotNone((builder, text) -> builder.cache = SettingText.store(text, StoreRole.CACHE))),
  FALLBACK(
      Topic.STORE,
      "fallback",
      "a database behind a Redis, which decides, and answers when the Redis does not",
      "URL",
      Text.orNone(StoreRole.DATABASE),
      Text.NONE,
      ifNotNone((builder, text) -> builder.fallback = SettingText.store(text, StoreRole.DATABASE))),
  STORE_TIMEOUT(
      Topic.STORE,
      "store-timeout",
      "how long one call to the store may take",
      Text.DURATION,
      Text.A_DURATION,
      "5s",
      (builder, text) -> builder.storeTimeout = SettingText.duration(text)),
  TENANT_HEADER(
      Topic.CALLERS,
      true,
      "tenant-header",
      "header that names the tenant; a request without it is refused",
      "NAME",
      "a header name, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.tenantHeader = SettingText.header(text))),
  USER_HEADER(
      Topic.CALLERS,
      true,
      "user-header",
      "header that tells callers apart: their API key, or a name set by what authenticates in front",
      "NAME",
      "a header name, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.userHeader = SettingText.header(text))),
  USER_COOKIE(
      Topic.CALLERS,
      true,
      "user-cookie",
      "cookie that tells callers apart, such as a session's",
      "NAME",
      "the name of a cookie, or none",
      Text.NONE,
      ifNotNone((builder, text) -> builder.userCookie = SettingText.header(text))),
  ANONYMOUS(
      Topic.CALLERS,
      true,
      "anonymous",
      "callers who show no identity share one space of keys; otherwise they are refused",
      Text.BOOLEAN,
      "true or false",
      "false",
      (builder, text) -> builder.anonymous = SettingText.bool(text)),
  TRUSTED_PROXIES(
      Topic.CALLERS,
      true,
      "trusted-proxies",
      "proxies in front that may say for whom they ask, by X-Forwarded-For and the like",
      "LIST",
      "a list of addresses and ranges such as 10.0.0.0/8 or ::1",
      "",
      (builder, text) -> builder.trustedProxies = TrustedProxies.parse(text)),
  GRACE(
      Topic.RUNNING,
      "grace",
      "how long a stopping gateway waits for what runs",
      Text.DURATION,
      Text.A_DURATION,
      "30s",
      (builder, text) -> builder.grace = SettingText.durationOrZero(text)),
  LOG_LEVEL(
      Topic.RUNNING,
      "log-level",
      "what is logged, at least",
      "LEVEL",
      "trace, debug, info, warn, error or off",
      "warn",
      (builder, text) -> builder.logLevel = SettingText.level(text)),
  PROFILE(
      Topic.POLICY,
      true,
      "profile",
      "the named policy to start from",
      "NAME",
      Text.PROFILES,
      "ietf",
      (builder, text) -> builder.profile = HttpProfile.named(text));

  /** What a setting is about, to group them in a help text. */
  public enum Topic {
    UPSTREAM,
    LISTENING,
    LIMITS,
    STORE,
    CALLERS,
    RUNNING,
    POLICY
  }

  /** What several settings say. */
  private static final class Text {
    static final String NONE = "none";
    static final String AUTO = "auto";
    static final String BOOLEAN = "BOOLEAN";
    static final String DURATION = "DURATION";
    static final String A_DURATION = "a duration such as 30s, 5m, 24h or 7d";
    static final String HOST_PORT = "HOST:PORT";
    static final String PROFILES =
        HttpProfile.ALL.stream().map(HttpProfile::name).collect(Collectors.joining(", "));

    static String orNone(StoreRole role) {
      return Stores.expected(role) + ", or none";
    }
  }

  private final Topic topic;
  private final boolean reloadable;
  private final String label;
  private final String meaning;
  private final String placeholder;
  private final String expected;
  private final @Nullable String byDefault;

  @SuppressWarnings("ImmutableEnumChecker") // it holds nothing
  private final BiConsumer<SettingsBuilder, String> change;

  GatewayValue(
      Topic topic,
      String label,
      String meaning,
      String placeholder,
      String expected,
      @Nullable String byDefault,
      BiConsumer<SettingsBuilder, String> change) {
    this(topic, false, label, meaning, placeholder, expected, byDefault, change);
  }

  GatewayValue(
      Topic topic,
      boolean reloadable,
      String label,
      String meaning,
      String placeholder,
      String expected,
      @Nullable String byDefault,
      BiConsumer<SettingsBuilder, String> change) {
    this.topic = topic;
    this.reloadable = reloadable;
    this.label = label;
    this.meaning = meaning;
    this.placeholder = placeholder;
    this.expected = expected;
    this.byDefault = byDefault;
    this.change = change;
  }

  /** What may be left out stays so, and may be left out again over a weaker place. */
  private static BiConsumer<SettingsBuilder, String> ifNotNone(
      BiConsumer<SettingsBuilder, String> change) {
    return (builder, text) -> {
      if (!text.equals(Text.NONE)) {
        change.accept(builder, text);
      }
    };
  }

  public Topic topic() {
    return topic;
  }

  /** The name by which flags and files set it. */
  public String label() {
    return label;
  }

  /** What it is, for people. */
  public String meaning() {
    return meaning;
  }

  /** What stands for the value in a help text. */
  public String placeholder() {
    return placeholder;
  }

  /** What may stand there, for people. */
  public String expected() {
    return expected;
  }

  /** The text of its default; null if there is none, and it has to be given. */
  public @Nullable String byDefault() {
    return byDefault;
  }

  /** Whether a name without a value means {@code true}. */
  public boolean isBoolean() {
    return placeholder.equals(Text.BOOLEAN);
  }

  /** Whether a running gateway can take a new value. */
  boolean isReloadable() {
    return reloadable;
  }

  /** Puts it into the draft. */
  void set(SettingsBuilder builder, String text) {
    change.accept(builder, text.strip());
  }

  /** What is wrong with this text, taken alone; null if nothing is. */
  @Nullable String findError(GivenValue given) {
    try {
      set(new SettingsBuilder(), given.text());
      return null;
    } catch (InvalidValueException e) {
      return e.getMessage();
    } catch (IllegalArgumentException e) {
      return given.unexpected(expected);
    }
  }

  public static Optional<GatewayValue> labelled(String label) {
    for (GatewayValue value : values()) {
      if (value.label.equals(label)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }
}
