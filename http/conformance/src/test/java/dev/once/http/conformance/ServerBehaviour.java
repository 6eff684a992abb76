package dev.once.http.conformance;

/**
 * How the reference server behaves: a set of policy values, one for each column of the table of
 * profiles.
 *
 * @param keyRule what a key has to match once its quotes are off
 * @param strings whether keys may be RFC 8941 Strings
 * @param mismatch status of another payload; 0 if it is another operation
 * @param busy status while an operation is running; 0 to wait for it
 */
record ServerBehaviour(
    String keyHeader,
    String keyRule,
    boolean strings,
    boolean required,
    int mismatch,
    int busy,
    String marker,
    boolean keepsRejections,
    boolean keepsFailures) {

  static final ServerBehaviour IETF =
      new ServerBehaviour(
          "Idempotency-Key",
          "[\\x20-\\x7e&&[^\"]]{1,255}",
          true,
          false,
          422,
          409,
          "Idempotent-Replayed",
          true,
          true);

  static final String UUID_V4 =
      "(?i)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

  static final String COMPOSITE = "[\\w.-]+:[\\w.-]+:[\\w.-]{1,200}:\\d+";

  ServerBehaviour keys(String header, String rule, boolean allowStrings) {
    return new ServerBehaviour(
        header,
        rule,
        allowStrings,
        required,
        mismatch,
        busy,
        marker,
        keepsRejections,
        keepsFailures);
  }

  ServerBehaviour needingKeys() {
    return new ServerBehaviour(
        keyHeader, keyRule, strings, true, mismatch, busy, marker, keepsRejections, keepsFailures);
  }

  ServerBehaviour answering(int mismatchStatus, int busyStatus, String markerName) {
    return new ServerBehaviour(
        keyHeader,
        keyRule,
        strings,
        required,
        mismatchStatus,
        busyStatus,
        markerName,
        keepsRejections,
        keepsFailures);
  }

  ServerBehaviour keeping(boolean rejections, boolean failures) {
    return new ServerBehaviour(
        keyHeader, keyRule, strings, required, mismatch, busy, marker, rejections, failures);
  }
}
