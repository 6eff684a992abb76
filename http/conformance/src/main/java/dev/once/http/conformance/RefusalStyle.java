package dev.once.http.conformance;

/** How the server words its refusals. */
public enum RefusalStyle {

  /** {@code application/problem+json} with type, title and status (RFC 9457). */
  PROBLEM("application/problem+json", "", "title", true),

  /** {@code application/json} with type and message in {@code error}, as Stripe does. */
  STRIPE("application/json", "/error", "message", false);

  final String mediaType;

  /** Where in the body the refusal is described. */
  final String pointer;

  /** The member that names it for people. */
  final String name;

  final boolean hasStatus;

  RefusalStyle(String mediaType, String pointer, String name, boolean hasStatus) {
    this.mediaType = mediaType;
    this.pointer = pointer;
    this.name = name;
    this.hasStatus = hasStatus;
  }

  /** What a flag says: {@code problem} or {@code stripe}. */
  public static RefusalStyle named(String word) {
    return Text.constant("refusals", RefusalStyle.class, word);
  }

  String words() {
    return "%s with type, %s%s%s"
        .formatted(
            mediaType, name, hasStatus ? ", status" : "", pointer.isEmpty() ? "" : " in error");
  }
}
