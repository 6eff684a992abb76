package dev.once.http.servlet;

import dev.once.core.Bytes;
import dev.once.http.semantics.ProtectedRequest;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that was read before its handler runs.
 *
 * <p>A multipart form is left to the container to parse: its limits and its files are as the
 * application configured them, and its parts can be read as often as one likes. Clients draw a new
 * boundary for each attempt, so what counts is what the parts say, not the bytes in between.
 *
 * @param asked what the fingerprint is made of
 * @param bytes what the handler reads; null if the container has parsed the body
 */
record KeptBody(Bytes asked, @Nullable Bytes bytes) {

  /** A body larger than the policy, or the application, allows. */
  static final class TooLargeException extends Exception {
    private static final long serialVersionUID = 1;
  }

  static KeptBody read(HttpServletRequest request, ProtectedRequest under)
      throws IOException, ServletException, TooLargeException {
    int limit = under.policy().maxRequestBody();
    long length = request.getContentLengthLong();
    if (length > limit) {
      throw new TooLargeException();
    }
    Collection<Part> parts = isMultipart(request) ? parts(request) : null;
    if (parts != null) {
      return new KeptBody(describe(parts, limit), null);
    }
    byte[] bytes = length == 0 ? new byte[0] : request.getInputStream().readNBytes(limit + 1);
    if (bytes.length > limit) {
      throw new TooLargeException();
    }
    Bytes whole = Bytes.wrap(bytes);
    return new KeptBody(whole, whole);
  }

  private static boolean isMultipart(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
  }

  /** The parts; null if the application has not asked the container to parse them. */
  private static @Nullable Collection<Part> parts(HttpServletRequest request)
      throws IOException, ServletException, TooLargeException {
    try {
      return request.getParts();
    } catch (IllegalStateException e) {
      // Either there is no configuration, and nothing was read; or a part is over its limit.
      if (request.getInputStream().isFinished()) {
        throw new TooLargeException();
      }
      return null;
    }
  }

  private static Bytes describe(Collection<Part> parts, int limit)
      throws IOException, TooLargeException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (Part part : parts) {
      if (bytes.size() + part.getSize() > limit + 1024L * parts.size()) {
        throw new TooLargeException();
      }
      write(out, part.getName());
      write(out, part.getSubmittedFileName());
      write(out, part.getContentType());
      out.writeLong(part.getSize());
      try (InputStream content = part.getInputStream()) {
        content.transferTo(out);
      }
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static void write(DataOutputStream out, @Nullable String text) throws IOException {
    if (text == null) {
      out.writeInt(-1);
    } else {
      out.writeInt(text.length());
      out.writeChars(text);
    }
  }
}
