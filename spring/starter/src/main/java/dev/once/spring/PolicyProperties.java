package dev.once.spring;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a policy as properties, by the names and in the words that the gateway's flags and
 * files use ({@link PolicyValue}). What is not said is null, and stays as the profile has it.
 */
public class PolicyProperties {

  /**
   * Named policy that the other values change: ietf, stripe, strict, portal, booking, leads or
   * srs016.
   */
  private @Nullable String profile;

  /** Whether keys are looked at. */
  private @Nullable String enabled;

  /** Request header that carries the key. */
  private @Nullable String header;

  /** Whether a request in scope without a key is refused. */
  private @Nullable String required;

  /** Methods in scope. */
  private @Nullable String methods;

  /** Whether requests without a body are in scope. */
  private @Nullable String bodiless;

  /** Whether the service takes paths in any case for the same. */
  private @Nullable String ignoreCase;

  /** What a key looks like. */
  private @Nullable String keyForm;

  /** Shortest key, in characters. */
  private @Nullable String keyMinLength;

  /** Longest key, in characters. */
  private @Nullable String keyMaxLength;

  /** What names an operation. */
  private @Nullable String identity;

  /** Request headers that belong to the fingerprint. */
  private @Nullable String criticalHeaders;

  /** Status for a key that was used for another request. */
  private @Nullable String mismatchStatus;

  /** Status while the first request runs. */
  private @Nullable String busyStatus;

  /** What a refusal looks like. */
  private @Nullable String refusalFormat;

  /** Response header that marks a replay. */
  private @Nullable String replayMarker;

  /** Largest body of a request with a key. */
  private @Nullable String maxRequestBody;

  /** How long an answer is kept. */
  private @Nullable String retention;

  /** How long the right to run lasts without a renewal. */
  private @Nullable String lease;

  /** How long a request may run; then it counts as crashed. */
  private @Nullable String longestRun;

  /** What a duplicate gets while the first request runs. */
  private @Nullable String onBusy;

  /** How long a duplicate waits, if it waits. */
  private @Nullable String longestWait;

  /** What a retry gets when the first request never ended. */
  private @Nullable String onCrash;

  /** What becomes of a 4xx answer. */
  private @Nullable String onRejection;

  /** What becomes of a 5xx answer. */
  private @Nullable String onFailure;

  /** What happens when the store does not answer. */
  private @Nullable String onStoreDown;

  /** How much of an answer is kept. */
  private @Nullable String keep;

  /** Largest answer that is kept whole. */
  private @Nullable String maxStoredBody;

  /**
   * The policy that these values make of another.
   *
   * @param prefix where they stand, for messages: {@code once.}
   * @throws OnceConfigurationException if a value is none of those that may stand there
   */
  HttpPolicy applyTo(HttpPolicy base, String prefix) {
    HttpPolicy policy = base;
    try {
      if (profile != null) {
        // It says how keys are treated, and nothing about the paths of the application.
        policy = HttpProfile.named(profile).policy().with(p -> p.ignoreCase(base.ignoreCase()));
      }
      for (Map.Entry<String, String> said : said().entrySet()) {
        policy = PolicyValue.labelled(said.getKey()).orElseThrow().set(policy, said.getValue());
      }
    } catch (IllegalArgumentException e) {
      throw OnceConfigurationException.badValue(prefix, e);
    }
    return policy;
  }

  /** By their labels: an application that says nothing is spared the table of all values. */
  private Map<String, String> said() {
    Map<String, String> said = new LinkedHashMap<>();
    put(said, "enabled", enabled);
    put(said, "header", header);
    put(said, "required", required);
    put(said, "methods", methods);
    put(said, "bodiless", bodiless);
    put(said, "ignore-case", ignoreCase);
    put(said, "key-form", keyForm);
    put(said, "key-min-length", keyMinLength);
    put(said, "key-max-length", keyMaxLength);
    put(said, "identity", identity);
    put(said, "critical-headers", criticalHeaders);
    put(said, "mismatch-status", mismatchStatus);
    put(said, "busy-status", busyStatus);
    put(said, "refusal-format", refusalFormat);
    put(said, "replay-marker", replayMarker);
    put(said, "max-request-body", maxRequestBody);
    put(said, "retention", retention);
    put(said, "lease", lease);
    put(said, "longest-run", longestRun);
    put(said, "on-busy", onBusy);
    put(said, "longest-wait", longestWait);
    put(said, "on-crash", onCrash);
    put(said, "on-rejection", onRejection);
    put(said, "on-failure", onFailure);
    put(said, "on-store-down", onStoreDown);
    put(said, "keep", keep);
    put(said, "max-stored-body", maxStoredBody);
    return said;
  }

  private static void put(Map<String, String> said, String label, @Nullable String text) {
    if (text != null) {
      said.put(label, text);
    }
  }

  public @Nullable String getProfile() {
    return profile;
  }

  public void setProfile(@Nullable String profile) {
    this.profile = profile;
  }

  public @Nullable String getEnabled() {
    return enabled;
  }

  public void setEnabled(@Nullable String enabled) {
    this.enabled = enabled;
  }

  public @Nullable String getHeader() {
    return header;
  }

  public void setHeader(@Nullable String header) {
    this.header = header;
  }

  public @Nullable String getRequired() {
    return required;
  }

  public void setRequired(@Nullable String required) {
    this.required = required;
  }

  public @Nullable String getMethods() {
    return methods;
  }

  public void setMethods(@Nullable String methods) {
    this.methods = methods;
  }

  public @Nullable String getBodiless() {
    return bodiless;
  }

  public void setBodiless(@Nullable String bodiless) {
    this.bodiless = bodiless;
  }

  public @Nullable String getIgnoreCase() {
    return ignoreCase;
  }

  public void setIgnoreCase(@Nullable String ignoreCase) {
    this.ignoreCase = ignoreCase;
  }

  public @Nullable String getKeyForm() {
    return keyForm;
  }

  public void setKeyForm(@Nullable String keyForm) {
    this.keyForm = keyForm;
  }

  public @Nullable String getKeyMinLength() {
    return keyMinLength;
  }

  public void setKeyMinLength(@Nullable String keyMinLength) {
    this.keyMinLength = keyMinLength;
  }

  public @Nullable String getKeyMaxLength() {
    return keyMaxLength;
  }

  public void setKeyMaxLength(@Nullable String keyMaxLength) {
    this.keyMaxLength = keyMaxLength;
  }

  public @Nullable String getIdentity() {
    return identity;
  }

  public void setIdentity(@Nullable String identity) {
    this.identity = identity;
  }

  public @Nullable String getCriticalHeaders() {
    return criticalHeaders;
  }

  public void setCriticalHeaders(@Nullable String criticalHeaders) {
    this.criticalHeaders = criticalHeaders;
  }

  public @Nullable String getMismatchStatus() {
    return mismatchStatus;
  }

  public void setMismatchStatus(@Nullable String mismatchStatus) {
    this.mismatchStatus = mismatchStatus;
  }

  public @Nullable String getBusyStatus() {
    return busyStatus;
  }

  public void setBusyStatus(@Nullable String busyStatus) {
    this.busyStatus = busyStatus;
  }

  public @Nullable String getRefusalFormat() {
    return refusalFormat;
  }

  public void setRefusalFormat(@Nullable String refusalFormat) {
    this.refusalFormat = refusalFormat;
  }

  public @Nullable String getReplayMarker() {
    return replayMarker;
  }

  public void setReplayMarker(@Nullable String replayMarker) {
    this.replayMarker = replayMarker;
  }

  public @Nullable String getMaxRequestBody() {
    return maxRequestBody;
  }

  public void setMaxRequestBody(@Nullable String maxRequestBody) {
    this.maxRequestBody = maxRequestBody;
  }

  public @Nullable String getRetention() {
    return retention;
  }

  public void setRetention(@Nullable String retention) {
    this.retention = retention;
  }

  public @Nullable String getLease() {
    return lease;
  }

  public void setLease(@Nullable String lease) {
    this.lease = lease;
  }

  public @Nullable String getLongestRun() {
    return longestRun;
  }

  public void setLongestRun(@Nullable String longestRun) {
    this.longestRun = longestRun;
  }

  public @Nullable String getOnBusy() {
    return onBusy;
  }

  public void setOnBusy(@Nullable String onBusy) {
    this.onBusy = onBusy;
  }

  public @Nullable String getLongestWait() {
    return longestWait;
  }

  public void setLongestWait(@Nullable String longestWait) {
    this.longestWait = longestWait;
  }

  public @Nullable String getOnCrash() {
    return onCrash;
  }

  public void setOnCrash(@Nullable String onCrash) {
    this.onCrash = onCrash;
  }

  public @Nullable String getOnRejection() {
    return onRejection;
  }

  public void setOnRejection(@Nullable String onRejection) {
    this.onRejection = onRejection;
  }

  public @Nullable String getOnFailure() {
    return onFailure;
  }

  public void setOnFailure(@Nullable String onFailure) {
    this.onFailure = onFailure;
  }

  public @Nullable String getOnStoreDown() {
    return onStoreDown;
  }

  public void setOnStoreDown(@Nullable String onStoreDown) {
    this.onStoreDown = onStoreDown;
  }

  public @Nullable String getKeep() {
    return keep;
  }

  public void setKeep(@Nullable String keep) {
    this.keep = keep;
  }

  public @Nullable String getMaxStoredBody() {
    return maxStoredBody;
  }

  public void setMaxStoredBody(@Nullable String maxStoredBody) {
    this.maxStoredBody = maxStoredBody;
  }
}
