package dev.once.http.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy does at each hop: well-formed requests that it answers itself, {@code Via} and
 * {@code Max-Forwards}.
 */
final class HopRules {

  /** What is passed on. TRACE is not: it would show credentials to whoever can send it. */
  static final String ALLOWED = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

  private static final String MAX_FORWARDS = "Max-Forwards";
  private static final CharSequence VIA = HttpHeaders.createOptimized("Via");
  private static final String PSEUDONYM = "once";

  /** If there are more of our gateways in a row, it is a loop. */
  private static final int MAX_HOPS = 8;

  /** So many digits fit an int. */
  private static final int DIGITS = 9;

  private HopRules() {}

  /**
   * How a request ends here.
   *
   * @param status 204 for an answer, else a refusal
   */
  record LocalReply(int status, String detail) {}

  /** How a request ends here; null if it goes on. */
  static @Nullable LocalReply localReply(HttpServerRequest request) {
    if (request.uri().length() > Gateway.LONGEST_LINE) {
      return new LocalReply(414, "The request target is too long.");
    }
    // Of HTTP/1 the decoder counts them. As objects they take far more than their bytes.
    if (request.version() == HttpVersion.HTTP_2
        && request.headers().size() > StrictHttp1.MAX_FIELDS) {
      return new LocalReply(431, "more than " + StrictHttp1.MAX_FIELDS + " header fields");
    }
    if (request.method().equals(HttpMethod.TRACE)) {
      return new LocalReply(405, "TRACE is not passed on: it shows credentials.");
    }
    String expect = request.getHeader(HttpHeaders.EXPECT);
    if (expect != null
        && request.version() != HttpVersion.HTTP_1_0
        && !expect.equalsIgnoreCase("100-continue")) {
      return new LocalReply(417, "The only expectation here is 100-continue.");
    }
    if (hops(request.headers()) > MAX_HOPS) {
      return new LocalReply(508, "The request has passed through this gateway too often.");
    }
    return request.method().equals(HttpMethod.OPTIONS)
        ? checkMaxForwards(request.headers().getAll(MAX_FORWARDS))
        : null;
  }

  private static @Nullable LocalReply checkMaxForwards(List<String> counts) {
    if (counts.isEmpty()) {
      return null;
    }
    String count = counts.get(0);
    if (counts.size() > 1 || !count.matches("[0-9]+")) {
      return new LocalReply(400, "Max-Forwards is not one number.");
    }
    return count.matches("0+") ? new LocalReply(204, "") : null;
  }

  private static long hops(MultiMap headers) {
    if (!headers.contains(VIA)) {
      return 0;
    }
    return headers.getAll(VIA).stream()
        .flatMap(line -> List.of(line.split(",", -1)).stream())
        .filter(hop -> hop.strip().endsWith(" " + PSEUDONYM))
        .count();
  }

  /** Adds this hop to a request that is sent on. */
  static void addToRequest(HttpServerRequest from, MultiMap to) {
    to.add(VIA, hop(from.version()));
    String left = from.method().equals(HttpMethod.OPTIONS) ? to.get(MAX_FORWARDS) : null;
    if (left != null) {
      String digits = left.replaceFirst("^0+", "");
      boolean large = digits.length() > DIGITS;
      to.set(MAX_FORWARDS, large ? "9".repeat(DIGITS) : "" + (Integer.parseInt(digits) - 1));
    }
  }

  /** Adds this hop to an answer that is sent on, or was recorded when it came. */
  static void addToAnswer(MultiMap to) {
    to.add(VIA, "1.1 " + PSEUDONYM);
  }

  private static String hop(HttpVersion version) {
    return switch (version) {
      case HTTP_1_0 -> "1.0 " + PSEUDONYM;
      case HTTP_1_1 -> "1.1 " + PSEUDONYM;
      default -> "2 " + PSEUDONYM;
    };
  }
}
