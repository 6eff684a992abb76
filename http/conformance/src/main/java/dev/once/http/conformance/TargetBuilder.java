package dev.once.http.conformance;

import dev.once.http.conformance.Target.Answers;
import dev.once.http.conformance.Target.Counting;
import dev.once.http.conformance.Target.Keys;
import dev.once.http.conformance.Target.Transport;
import dev.once.http.conformance.Target.Variation;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Describes a server step by step. Every method is the flag of the same name of {@code once check};
 * a value that makes no sense is refused with a {@link TargetException}.
 */
public final class TargetBuilder {

  private final String url;
  private String method = "POST";
  private String body = "{\"reference\":\"" + Target.UNIQUE + "\",\"source\":\"once check\"}";
  private String contentType = "application/json";
  private final List<Header> headers = new ArrayList<>();
  private final List<Header> secondHeaders = new ArrayList<>();
  private String keyHeader = "Idempotency-Key";
  private KeyStyle keyStyle = KeyStyle.QUOTED;
  private Required required = Required.UNKNOWN;
  private @Nullable Header marker = new Header("Idempotent-Replayed", "true");
  private Mismatch mismatch = Mismatch.DRAFT;
  private Set<Integer> busy = Set.of(409);
  private ErrorPolicy rejections = ErrorPolicy.REPLAYED;
  private ErrorPolicy failures = ErrorPolicy.REPLAYED;
  private RefusalStyle refusals = RefusalStyle.PROBLEM;
  private @Nullable URI countUrl;
  private String countPointer = "";
  private Variation slow = Variation.NONE;
  private Variation reject = Variation.NONE;
  private Variation fail = Variation.NONE;
  private int parallel = 8;
  private Protocol protocol = Protocol.HTTP_1_1;
  private Duration connectTimeout = Duration.ofSeconds(5);
  private Duration requestTimeout = Duration.ofSeconds(10);
  private boolean insecure;
  private boolean strict;

  TargetBuilder(String url) {
    this.url = checkedUrl("url", url);
  }

  /** The method that makes something; POST unless set. */
  public TargetBuilder method(String method) {
    if (!method.matches("[A-Z]+") || Set.of("GET", "HEAD", "OPTIONS", "TRACE").contains(method)) {
      throw new TargetException("method", method, "POST, PUT, PATCH or DELETE");
    }
    this.method = method;
    return this;
  }

  /** What is sent; {@code {unique}} becomes something new for each operation. */
  public TargetBuilder body(String template) {
    this.body = template;
    return this;
  }

  /** The media type of the body; {@code application/json} unless set. */
  public TargetBuilder contentType(String mediaType) {
    this.contentType = Header.parse("content-type", "Content-Type: " + mediaType).value();
    return this;
  }

  /** Adds a field, {@code Name: value}, to every request. */
  public TargetBuilder header(String line) {
    headers.add(Header.parse("header", line));
    return this;
  }

  /** Adds a field, {@code Name: value}, that makes a request come from another client. */
  public TargetBuilder secondHeader(String line) {
    secondHeaders.add(Header.parse("second-header", line));
    return this;
  }

  /** The field that carries the key; {@code Idempotency-Key} unless set. */
  public TargetBuilder keyHeader(String name) {
    this.keyHeader = Header.name("key-header", name);
    return this;
  }

  /** How keys look; quoted, as in the draft, unless set. */
  public TargetBuilder keyStyle(KeyStyle style) {
    this.keyStyle = style;
    return this;
  }

  /**
   * What every replay carries, {@code Name: value}; {@code Idempotent-Replayed: true} unless set.
   */
  public TargetBuilder marker(String line) {
    this.marker = Header.parse("marker", line);
    return this;
  }

  /** Replays carry no mark. */
  public TargetBuilder noMarker() {
    this.marker = null;
    return this;
  }

  /** What a key that comes again with another payload gets; 422 unless set. */
  public TargetBuilder mismatch(Mismatch mismatch) {
    this.mismatch = mismatch;
    return this;
  }

  /** Statuses, with commas, of a request whose operation is still running; 409 unless set. */
  public TargetBuilder busy(String statuses) {
    this.busy = Mismatch.statuses("busy", statuses);
    return this;
  }

  /** Whether a key is needed; unknown unless set. */
  public TargetBuilder required(Required required) {
    this.required = required;
    return this;
  }

  /** Where to GET how many things were made. */
  public TargetBuilder countUrl(String url) {
    this.countUrl = URI.create(checkedUrl("count-url", url));
    return this;
  }

  /** The JSON pointer of the number, or of the array to measure, in the answer of the count URL. */
  public TargetBuilder countPointer(String pointer) {
    if (!pointer.isEmpty() && !pointer.startsWith("/")) {
      throw new TargetException("count-pointer", pointer, "a JSON pointer such as /total");
    }
    this.countPointer = pointer;
    return this;
  }

  /** Adds a field, {@code Name: value}, that makes the endpoint take its time. */
  public TargetBuilder slowHeader(String line) {
    this.slow = withHeader(slow, Header.parse("slow-header", line));
    return this;
  }

  /** A body that makes the endpoint take its time. */
  public TargetBuilder slowBody(String template) {
    this.slow = new Variation(slow.url(), template, slow.headers());
    return this;
  }

  /** A body that the endpoint answers with 4xx. */
  public TargetBuilder rejectBody(String template) {
    this.reject = new Variation(reject.url(), template, reject.headers());
    return this;
  }

  /** Another endpoint, which answers 4xx. */
  public TargetBuilder rejectUrl(String url) {
    this.reject = new Variation(checkedUrl("reject-url", url), reject.body(), reject.headers());
    return this;
  }

  /** A body that the endpoint answers with 5xx. */
  public TargetBuilder failBody(String template) {
    this.fail = new Variation(fail.url(), template, fail.headers());
    return this;
  }

  /** Another endpoint, which answers 5xx. */
  public TargetBuilder failUrl(String url) {
    this.fail = new Variation(checkedUrl("fail-url", url), fail.body(), fail.headers());
    return this;
  }

  /** What becomes of a key after an error, 4xx or 5xx; replayed unless set. */
  public TargetBuilder errors(ErrorPolicy policy) {
    return rejections(policy).failures(policy);
  }

  /** What becomes of a key after a 4xx of the application. */
  public TargetBuilder rejections(ErrorPolicy policy) {
    this.rejections = policy;
    return this;
  }

  /** What becomes of a key after a 5xx of the application. */
  public TargetBuilder failures(ErrorPolicy policy) {
    this.failures = policy;
    return this;
  }

  /** How refusals are worded; as RFC 9457 has it unless set. */
  public TargetBuilder refusals(RefusalStyle style) {
    this.refusals = style;
    return this;
  }

  /** How many requests race with one key; 8 unless set. */
  public TargetBuilder parallel(int requests) {
    if (requests < 2 || requests > 100) {
      throw new TargetException("parallel", Integer.toString(requests), "2 to 100");
    }
    this.parallel = requests;
    return this;
  }

  /** The version of HTTP; 1.1 unless set. */
  public TargetBuilder http(Protocol protocol) {
    this.protocol = protocol;
    return this;
  }

  /** How long a connection may take to open; 5 s unless set. */
  public TargetBuilder connectTimeout(Duration timeout) {
    this.connectTimeout = positive("connect-timeout", timeout);
    return this;
  }

  /** How long an answer may take, and a running operation to end; 10 s unless set. */
  public TargetBuilder requestTimeout(Duration timeout) {
    this.requestTimeout = positive("request-timeout", timeout);
    return this;
  }

  /** Accepts any certificate: for servers with a self-signed one, and for nothing else. */
  public TargetBuilder insecure(boolean insecure) {
    this.insecure = insecure;
    return this;
  }

  /** Lets what is missing beyond the draft break the report, too. */
  public TargetBuilder strict(boolean strict) {
    this.strict = strict;
    return this;
  }

  /** The description. */
  public Target build() {
    if (countUrl == null && !countPointer.isEmpty()) {
      throw new TargetException("count-pointer", countPointer, "with a count-url");
    }
    return new Target(
        url,
        method,
        body,
        contentType,
        headers,
        secondHeaders,
        new Keys(keyHeader, keyStyle, required),
        new Answers(marker, mismatch, busy, rejections, failures, refusals),
        countUrl == null ? null : new Counting(countUrl, countPointer),
        slow,
        reject,
        fail,
        parallel,
        new Transport(protocol, connectTimeout, requestTimeout, insecure),
        strict);
  }

  private static Variation withHeader(Variation variation, Header header) {
    List<Header> headers = new ArrayList<>(variation.headers());
    headers.add(header);
    return new Variation(variation.url(), variation.body(), headers);
  }

  private static String checkedUrl(String option, String template) {
    try {
      URI uri = URI.create(template.replace(Target.UNIQUE, "unique"));
      boolean web = "http".equalsIgnoreCase(uri.getScheme()) || isTls(uri);
      boolean plain = uri.getUserInfo() == null && uri.getFragment() == null;
      if (web && plain && uri.getHost() != null) {
        return template;
      }
    } catch (IllegalArgumentException e) {
      // Not a URI at all: refused below like one that is not for the web.
    }
    throw new TargetException(
        option, template, "an http:// or https:// URL without user and fragment");
  }

  private static boolean isTls(URI uri) {
    return "https".equalsIgnoreCase(uri.getScheme());
  }

  private static Duration positive(String option, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new TargetException(option, value.toString(), "> 0");
    }
    return value;
  }
}
