package dev.once.http.semantics;

import dev.once.core.Policy;
import dev.once.core.Refusal.Reason;
import dev.once.http.semantics.text.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The values that decide what an idempotency key means over HTTP. Plain data; {@link PolicyValue}
 * lists every one of them by name.
 *
 * @param enabled false: requests pass as if there were no Once
 * @param keyHeader the request header that carries the key
 * @param required whether a request in scope without a key is refused
 * @param methods the methods in scope, in upper case; safe ones never are
 * @param bodiless whether requests without a body are in scope
 * @param ignoreCase whether the service behind takes paths in any case for the same
 * @param identity what names an operation
 * @param criticalHeaders request headers that belong to the fingerprint
 * @param mismatchStatus the status for a key that was used for another request
 * @param busyStatus the status while the first request runs
 * @param refusalFormat what a refusal looks like, unless the application has a format of its own
 * @param marker the response header that marks a replay, with the value {@code true}
 * @param maxRequestBody largest body, in bytes, of a request with a key
 * @param policy what the engine decides by
 */
public record HttpPolicy(
    boolean enabled,
    String keyHeader,
    boolean required,
    Set<String> methods,
    boolean bodiless,
    boolean ignoreCase,
    KeyRule keyRule,
    Identity identity,
    List<String> criticalHeaders,
    int mismatchStatus,
    int busyStatus,
    StandardFormat refusalFormat,
    String marker,
    int maxRequestBody,
    Policy policy) {

  public static final int MAX_REQUEST_BODY = 64 * 1024 * 1024;

  /** Never in scope: they change nothing, or are not requests in the usual sense. */
  private static final Set<String> NEVER = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "CONNECT");

  /** The values of the {@code ietf} profile. */
  public static final HttpPolicy DEFAULT =
      new HttpPolicy(
          true,
          "Idempotency-Key",
          false,
          Set.of("POST", "PATCH"),
          true,
          false,
          new KeyRule(KeyForm.STRING, 1, 255),
          Identity.KEY,
          List.of(),
          422,
          409,
          StandardFormat.PROBLEM,
          "Idempotent-Replayed",
          1024 * 1024,
          Policy.DEFAULT);

  public HttpPolicy {
    Tokens.check("header", keyHeader);
    Tokens.check("replay-marker", marker);
    criticalHeaders = List.copyOf(criticalHeaders);
    criticalHeaders.forEach(name -> Tokens.check("critical-headers", name));
    TreeSet<String> sorted = new TreeSet<>();
    for (String method : methods) {
      String upper = Tokens.check("methods", method).toUpperCase(Locale.ROOT);
      if (NEVER.contains(upper)) {
        throw new IllegalArgumentException(
            "methods: " + upper + " (expected: methods that change something)");
      }
      sorted.add(upper);
    }
    methods = Set.copyOf(sorted);
    checkStatus("mismatch-status", mismatchStatus);
    checkStatus("busy-status", busyStatus);
    if (maxRequestBody < 0 || maxRequestBody > MAX_REQUEST_BODY) {
      throw new IllegalArgumentException(
          "max-request-body: " + maxRequestBody + " (expected: 0 to " + MAX_REQUEST_BODY + ")");
    }
  }

  private static void checkStatus(String name, int status) {
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException(name + ": " + status + " (expected: 400 to 599)");
    }
  }

  /** Whether a request is one that this policy is about. */
  boolean isInScope(String method, boolean hasBody) {
    return enabled && methods.contains(method) && (bodiless || hasBody);
  }

  /** The status of a refusal for this reason. */
  int statusOf(Reason reason) {
    return reason == Reason.MISMATCH
        ? mismatchStatus
        : reason == Reason.BUSY ? busyStatus : reason.httpStatus();
  }

  /** A copy in which some values differ. */
  public HttpPolicy with(UnaryOperator<Builder> changes) {
    return changes.apply(new Builder(this)).build();
  }

  /** A policy in the making. */
  public static final class Builder {
    private boolean enabled;
    private String keyHeader;
    private boolean required;
    private Set<String> methods;
    private boolean bodiless;
    private boolean ignoreCase;
    private KeyRule keyRule;
    private Identity identity;
    private List<String> criticalHeaders;
    private int mismatchStatus;
    private int busyStatus;
    private StandardFormat refusalFormat;
    private String marker;
    private int maxRequestBody;
    private Policy policy;

    private Builder(HttpPolicy from) {
      enabled = from.enabled;
      keyHeader = from.keyHeader;
      required = from.required;
      methods = from.methods;
      bodiless = from.bodiless;
      ignoreCase = from.ignoreCase;
      keyRule = from.keyRule;
      identity = from.identity;
      criticalHeaders = from.criticalHeaders;
      mismatchStatus = from.mismatchStatus;
      busyStatus = from.busyStatus;
      refusalFormat = from.refusalFormat;
      marker = from.marker;
      maxRequestBody = from.maxRequestBody;
      policy = from.policy;
    }

    public Builder enabled(boolean value) {
      enabled = value;
      return this;
    }

    public Builder keyHeader(String value) {
      keyHeader = value;
      return this;
    }

    public Builder required(boolean value) {
      required = value;
      return this;
    }

    public Builder methods(Set<String> value) {
      methods = value;
      return this;
    }

    public Builder bodiless(boolean value) {
      bodiless = value;
      return this;
    }

    public Builder ignoreCase(boolean value) {
      ignoreCase = value;
      return this;
    }

    public Builder keyRule(KeyRule value) {
      keyRule = value;
      return this;
    }

    public Builder identity(Identity value) {
      identity = value;
      return this;
    }

    public Builder criticalHeaders(List<String> value) {
      criticalHeaders = value;
      return this;
    }

    public Builder mismatchStatus(int value) {
      mismatchStatus = value;
      return this;
    }

    public Builder busyStatus(int value) {
      busyStatus = value;
      return this;
    }

    public Builder refusalFormat(StandardFormat value) {
      refusalFormat = value;
      return this;
    }

    public Builder marker(String value) {
      marker = value;
      return this;
    }

    public Builder maxRequestBody(int value) {
      maxRequestBody = value;
      return this;
    }

    public Builder policy(Policy value) {
      policy = value;
      return this;
    }

    private HttpPolicy build() {
      return new HttpPolicy(
          enabled,
          keyHeader,
          required,
          methods,
          bodiless,
          ignoreCase,
          keyRule,
          identity,
          criticalHeaders,
          mismatchStatus,
          busyStatus,
          refusalFormat,
          marker,
          maxRequestBody,
          policy);
    }
  }
}
