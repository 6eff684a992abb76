package dev.once.spring.mvc;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The form of a PUT, PATCH or DELETE, whose body Spring's {@code FormContentFilter} has read to
 * make parameters of it: the form is written again from them, so that two different forms have
 * different fingerprints.
 */
final class ParsedFormRequest extends HttpServletRequestWrapper {

  private static final String FILTER = "org.springframework.web.filter.FormContentFilter$";

  private final byte[] form;

  private ParsedFormRequest(HttpServletRequest request) {
    super(request);
    form = encode(request.getParameterMap());
  }

  /** The request, unless that filter has read its body. */
  static ServletRequest wrapIfFormWasRead(ServletRequest request) {
    for (ServletRequest one = request; one instanceof ServletRequestWrapper wrapper; ) {
      if (one.getClass().getName().startsWith(FILTER)) {
        return new ParsedFormRequest((HttpServletRequest) request);
      }
      one = wrapper.getRequest();
    }
    return request;
  }

  private static byte[] encode(Map<String, String[]> parameters) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(parameters)
        .forEach(
            (name, values) -> {
              for (String value : values) {
                text.append(text.isEmpty() ? "" : "&")
                    .append(URLEncoder.encode(name, StandardCharsets.UTF_8))
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
              }
            });
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public int getContentLength() {
    return form.length;
  }

  @Override
  public long getContentLengthLong() {
    return form.length;
  }

  @Override
  public BufferedReader getReader() {
    return new BufferedReader(new StringReader(new String(form, StandardCharsets.UTF_8)));
  }

  @Override
  public ServletInputStream getInputStream() {
    ByteArrayInputStream bytes = new ByteArrayInputStream(form);
    return new ServletInputStream() {
      @Override
      public int read() throws IOException {
        return bytes.read();
      }

      @Override
      public int read(byte[] to, int offset, int length) {
        return bytes.read(to, offset, length);
      }

      @Override
      public boolean isFinished() {
        return bytes.available() == 0;
      }

      @Override
      public boolean isReady() {
        return true;
      }

      @Override
      public void setReadListener(ReadListener listener) {
        throw new IllegalStateException(
            "setReadListener: the form was read already (expected: no listener; read the stream)");
      }
    };
  }
}
