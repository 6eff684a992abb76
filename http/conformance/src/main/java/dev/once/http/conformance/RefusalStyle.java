package dev.once.http.conformance;

import dev.once.http.conformance.wire.Text;

/** How the server words its refusals. */
public enum RefusalStyle {

  /** {@code application/problem+json} with type, title and status (RFC 9457). */
  PROBLEM("application/problem+json", "", "title", true),

  /** {@code application/json} with type and message in {@code error}, as Stripe does. */
  STRIPE("application/json", "/error", "message", false);

  private final String mediaType;

  /** Where in the body the refusal is described. */
  private final String pointer;

  /** The member that names it for people. */
  private final String name;

  private final boolean hasStatus;

  RefusalStyle(String mediaType, String pointer, String name, boolean hasStatus) {
    this.mediaType = mediaType;
    this.pointer = pointer;
    this.name = name;
    this.hasStatus = hasStatus;
  }

  public String mediaType() {
    return mediaType;
  }

  public String pointer() {
    return pointer;
  }

  public String nameMember() {
    return name;
  }

  public boolean hasStatus() {
    return hasStatus;
  }

  /** What a flag says: {@code problem} or {@code stripe}. */
  public static RefusalStyle named(String word) {
    return Text.constant("refusals", RefusalStyle.class, word);
  }

  public String words() {
    return "%s with type, %s%s%s"
        .formatted(
            mediaType, name, hasStatus ? ", status" : "", pointer.isEmpty() ? "" : " in error");
  }
}
