package dev.once.http.conformance;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A server to check, as its documentation describes it. {@code {unique}} in the URL or in a body is
 * replaced by something new for each operation.
 *
 * @param url of an endpoint that makes something
 * @param headers sent with every request, such as credentials
 * @param secondHeaders credentials of another client; none if there is no other
 * @param slow makes the endpoint take its time
 * @param reject makes the endpoint answer 4xx
 * @param fail makes the endpoint answer 5xx
 * @param parallel how many requests race with one key
 * @param strict whether what is missing beyond the draft breaks the report, too
 */
public record Target(
    String url,
    String method,
    String body,
    String contentType,
    List<Header> headers,
    List<Header> secondHeaders,
    Keys keys,
    Answers answers,
    @Nullable Counting counting,
    Variation slow,
    Variation reject,
    Variation fail,
    int parallel,
    Transport transport,
    boolean strict) {

  /** Stands for something new in each operation. */
  public static final String UNIQUE = "{unique}";

  public Target {
    headers = List.copyOf(headers);
    secondHeaders = List.copyOf(secondHeaders);
  }

  /** Starts the description of the server at {@code url}. */
  public static TargetBuilder at(String url) {
    return new TargetBuilder(url);
  }

  /** How operations are named. */
  public record Keys(String header, KeyStyle style, Required required) {}

  /**
   * How the server answers.
   *
   * @param marker what every replay carries; null if replays are not marked
   * @param busy statuses of a request whose operation is still running
   * @param rejections what becomes of a key after a 4xx of the application
   * @param failures what becomes of a key after a 5xx of the application
   * @param refusals how refusals are worded
   */
  public record Answers(
      @Nullable Header marker,
      Mismatch mismatch,
      Set<Integer> busy,
      ErrorPolicy rejections,
      ErrorPolicy failures,
      RefusalStyle refusals) {

    public Answers {
      busy = Set.copyOf(busy);
    }
  }

  /**
   * Where to read how many things the endpoint has made.
   *
   * @param pointer a JSON pointer to a number, or to an array whose length counts; empty for all of
   *     the answer
   */
  public record Counting(URI url, String pointer) {}

  /** How a request departs from the usual one; what is not set stays as usual. */
  public record Variation(@Nullable String url, @Nullable String body, List<Header> headers) {

    /** The usual request. */
    public static final Variation NONE = new Variation(null, null, List.of());

    public Variation {
      headers = List.copyOf(headers);
    }

    /** Whether it is the usual request. */
    public boolean isNone() {
      return equals(NONE);
    }
  }

  /**
   * How the server is spoken to.
   *
   * @param insecure whether any certificate is accepted
   */
  public record Transport(
      Protocol protocol, Duration connectTimeout, Duration requestTimeout, boolean insecure) {}
}
