package dev.once.http.gateway;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The header fields of an upstream's answer. An operation that ran should not lose its answer for a
 * field that is only odd, so that field is dropped: a name such as {@code X-Foo[bar]}, a control
 * character in a value. What could make two answers of one, or another field of it, is refused with
 * the whole answer: CR, LF and NUL, and names with spaces or control characters, or none.
 */
final class AnswerFields extends DefaultHttpHeaders {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final Pattern UNPRINTABLE = Pattern.compile("[^!-~]");
  private static final int LONGEST_SHOWN = 60;

  /** A field takes far more memory than its few bytes on the wire. */
  private static final int MAX = 2_000;

  private enum Kind {
    GOOD,
    ODD,
    DANGEROUS
  }

  /** Makes them for one upstream, and tells once that fields are dropped. */
  static final class Factory implements HttpHeadersFactory {

    private boolean told;

    @Override
    public HttpHeaders newHeaders() {
      return new AnswerFields(this);
    }

    @Override
    public HttpHeaders newEmptyHeaders() {
      return new AnswerFields(this);
    }

    private void dropped(CharSequence name) {
      if (!told) {
        told = true;
        log.warn(
            "the upstream sends a header that HTTP does not allow, and it is dropped: {}",
            shown(name));
      }
    }
  }

  private final Factory factory;

  private AnswerFields(Factory factory) {
    super(name -> {}, value -> {}); // both are looked at here
    this.factory = factory;
  }

  /** What the decoder calls for each field. */
  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    // A folded value may begin with the space that took the place of the fold.
    String text = value.toString().strip();
    Kind ofName = ofName(name);
    if (ofName == Kind.DANGEROUS) {
      throw new BadAnswerException("header " + shown(name) + ": not a name (expected: a token)");
    }
    Kind ofValue = ofValue(text);
    if (ofValue == Kind.DANGEROUS) {
      throw new BadAnswerException("header " + shown(name) + ": a CR, LF or NUL (expected: none)");
    }
    if (ofName == Kind.ODD || ofValue == Kind.ODD) {
      factory.dropped(name);
      return this;
    }
    if (size() >= MAX) {
      throw new BadAnswerException("more than " + MAX + " header fields (expected: fewer)");
    }
    return super.add(name, text);
  }

  private static Kind ofName(CharSequence name) {
    boolean odd = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c == 0x7f) {
        return Kind.DANGEROUS;
      }
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
      odd |= !letter && !(c >= '0' && c <= '9') && "!#$%&'*+.^_`|~".indexOf(c) < 0;
    }
    return name.length() == 0 ? Kind.DANGEROUS : odd ? Kind.ODD : Kind.GOOD;
  }

  private static Kind ofValue(String value) {
    boolean odd = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c == 0x7f) {
        if (c == '\r' || c == '\n' || c == 0) {
          return Kind.DANGEROUS;
        }
        odd |= c != '\t';
      }
    }
    return odd ? Kind.ODD : Kind.GOOD;
  }

  private static String shown(CharSequence name) {
    String start = name.toString().substring(0, Math.min(name.length(), LONGEST_SHOWN));
    return UNPRINTABLE.matcher(start).replaceAll("?");
  }
}
