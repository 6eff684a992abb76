package dev.once.core;

import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;

/**
 * What a handler answered: the thing that is recorded once and replayed to every retry.
 *
 * @param code the HTTP status, the gRPC code, or whatever number the protocol in front uses
 */
public record Answer(Outcome outcome, int code, List<Header> headers, Body body) {

  private static final int MAX_HEADER_CHARACTERS = 64 * 1024;

  /** What a header costs besides its text; it also bounds how many there can be. */
  private static final int SEPARATORS = 4;

  public Answer {
    Objects.requireNonNull(outcome, "outcome: null (expected: an Outcome)");
    Objects.requireNonNull(body, "body: null (expected: a Body; Body.EMPTY for none)");
    headers = List.copyOf(headers);
  }

  public static Answer success(int code, Body body) {
    return new Answer(Outcome.SUCCESS, code, List.of(), body);
  }

  public static Answer rejection(int code, Body body) {
    return new Answer(Outcome.REJECTION, code, List.of(), body);
  }

  public static Answer failure(int code, Body body) {
    return new Answer(Outcome.FAILURE, code, List.of(), body);
  }

  public Answer withHeaders(List<Header> headers) {
    return new Answer(outcome, code, headers, body);
  }

  /** What is left of this answer in status-only mode: the outcome and the code. */
  Answer statusOnly() {
    return new Answer(outcome, code, List.of(), new Body.Omitted());
  }

  /**
   * This answer if it fits, or with its body as a digest (and no headers, if they are too many).
   */
  Answer within(int maxBodyBytes) {
    boolean headersFit = headerCharacters() <= MAX_HEADER_CHARACTERS;
    boolean bodyFits = !(body instanceof Body.Full full) || full.bytes().size() <= maxBodyBytes;
    if (headersFit && bodyFits) {
      return this;
    }
    Body kept = body instanceof Body.Full full ? digestOf(full.bytes()) : body;
    return new Answer(outcome, code, headersFit ? headers : List.of(), kept);
  }

  private static Body digestOf(Bytes bytes) {
    MessageDigest sha256 = Bytes.sha256();
    sha256.update(bytes.asBuffer());
    return new Body.Digest(bytes.size(), Bytes.wrap(sha256.digest()));
  }

  private long headerCharacters() {
    long characters = 0;
    for (Header header : headers) {
      characters += header.name().length() + header.value().length() + SEPARATORS;
    }
    return characters;
  }
}
