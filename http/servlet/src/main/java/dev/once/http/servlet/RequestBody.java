package dev.once.http.servlet;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.canonical.CanonicalBody;
import dev.once.http.semantics.canonical.CanonicalMultipart;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that was read before its handler runs.
 *
 * <p>A multipart form is left to the container to parse: its limits and its files are as the
 * application configured them, and its parts can be read as often as one likes. What counts is what
 * the parts say, as it is where nobody has parsed them.
 *
 * @param canonical what the fingerprint is made of
 * @param bytes what the handler reads; null if the container has parsed the body
 */
record RequestBody(CanonicalBody canonical, @Nullable Bytes bytes) {

  /** A body larger than the policy allows. */
  static final class TooLargeException extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** Parts that the container cannot parse, or that are larger than the application allows. */
  static final class BadPartsException extends Exception {
    private static final long serialVersionUID = 1;

    BadPartsException(Throwable cause) {
      super(cause);
    }
  }

  static RequestBody read(HttpServletRequest request, ProtectedRequest protectedRequest)
      throws IOException, TooLargeException, BadPartsException {
    int limit = protectedRequest.policy().maxRequestBody();
    if (request.getContentLengthLong() > limit) {
      throw new TooLargeException();
    }
    return isMultipart(request)
        ? readParts(request, protectedRequest, limit)
        : readWhole(request, protectedRequest, limit);
  }

  private static RequestBody readWhole(
      HttpServletRequest request, ProtectedRequest protectedRequest, int limit)
      throws IOException, TooLargeException {
    long length = request.getContentLengthLong();
    // Over HTTP/2 an empty body has come to its end before anybody reads it.
    boolean chunked = length < 0 && request.getHeader("Transfer-Encoding") != null;
    boolean read = chunked && isReadToItsEnd(request);
    byte[] bytes = length == 0 ? new byte[0] : bytes(request.getInputStream(), length, limit);
    if (bytes.length > limit) {
      throw new TooLargeException();
    }
    if (bytes.length == 0 && FormBody.isForm(request)) {
      // Whoever asked for a parameter before had the container read it.
      Bytes parameters = describe(request.getParameterMap());
      return new RequestBody(new CanonicalBody(CanonicalBody.Kind.FORM, parameters), null);
    }
    if (bytes.length == 0 && (length > 0 || read)) {
      throw new IOException(
          "body: read by somebody before (expected: unread); register the filter of Once outside"
              + " of what reads bodies");
    }
    Bytes body = Bytes.wrap(bytes);
    return new RequestBody(protectedRequest.canonical(body), body);
  }

  /**
   * Whether the container's stream has come to its end. A filter outside may have put another in
   * its place: that is the body then, and may be empty.
   */
  private static boolean isReadToItsEnd(HttpServletRequest request) throws IOException {
    ServletInputStream stream = request.getInputStream();
    try {
      return stream.isFinished() && stream == BufferedRequest.ofContainer(request).getInputStream();
    } catch (IllegalStateException e) { // its reader was asked for, by whoever has put another
      return false;
    }
  }

  /**
   * To its end, or to one more byte than the limit. What a filter outside decompresses is longer
   * than the length that the client has declared.
   */
  private static byte[] bytes(InputStream in, long length, int limit) throws IOException {
    if (length < 0) {
      return in.readNBytes(limit + 1);
    }
    byte[] declared = in.readNBytes((int) length);
    int next = declared.length < length ? -1 : in.read();
    if (next < 0) {
      return declared;
    }
    byte[] more = in.readNBytes(limit - declared.length);
    byte[] all = Arrays.copyOf(declared, declared.length + 1 + more.length);
    all[declared.length] = (byte) next;
    System.arraycopy(more, 0, all, declared.length + 1, more.length);
    return all;
  }

  private static Bytes describe(Map<String, String[]> parameters) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (Map.Entry<String, String[]> parameter : new TreeMap<>(parameters).entrySet()) {
      write(out, parameter.getKey());
      out.writeInt(parameter.getValue().length);
      for (String value : parameter.getValue()) {
        write(out, value);
      }
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static boolean isMultipart(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
  }

  private static RequestBody readParts(
      HttpServletRequest request, ProtectedRequest protectedRequest, int limit)
      throws TooLargeException, BadPartsException {
    try {
      return new RequestBody(describe(request.getParts(), limit), null);
    } catch (IOException | ServletException | RuntimeException e) {
      // Perhaps the application has not asked for parts. Then nothing was read, and all is there.
      return readUnparsed(request, protectedRequest, limit, e);
    }
  }

  private static RequestBody readUnparsed(
      HttpServletRequest request, ProtectedRequest protectedRequest, int limit, Exception why)
      throws TooLargeException, BadPartsException {
    RequestBody body;
    try {
      body = readWhole(request, protectedRequest, limit);
    } catch (IOException | RuntimeException e) {
      why.addSuppressed(e);
      throw new BadPartsException(why);
    }
    long length = request.getContentLengthLong();
    int size = body.bytes() == null ? 0 : body.bytes().size();
    boolean complete = length < 0 ? size > 0 : size == length;
    if (!complete) {
      throw new BadPartsException(why);
    }
    return body;
  }

  private static CanonicalBody describe(Collection<Part> parts, int limit)
      throws IOException, TooLargeException {
    CanonicalMultipart body = new CanonicalMultipart();
    long size = 0;
    for (Part part : parts) {
      size += part.getSize();
      if (size > limit) {
        throw new TooLargeException();
      }
      try (InputStream content = part.getInputStream()) {
        body.part(head(part), content.readAllBytes());
      }
    }
    return body.body();
  }

  private static List<Header> head(Part part) {
    List<Header> head = new ArrayList<>();
    for (String name : new TreeSet<>(part.getHeaderNames())) {
      part.getHeaders(name).forEach(value -> head.add(new Header(name, value)));
    }
    return head;
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    out.writeInt(text.length());
    out.writeChars(text);
  }
}
