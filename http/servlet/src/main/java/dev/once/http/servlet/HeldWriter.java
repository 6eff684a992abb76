package dev.once.http.servlet;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.Charset;

/** Text for a {@link HeldResponse}. */
final class HeldWriter extends Writer {

  private final HeldResponse response;
  private final Charset charset;
  private OutputStreamWriter encoder;

  HeldWriter(HeldResponse response, Charset charset) {
    this.response = response;
    this.charset = charset;
    this.encoder = encoder();
  }

  private OutputStreamWriter encoder() {
    OutputStream bytes =
        new OutputStream() {
          @Override
          public void write(int b) {
            response.writeBody(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] piece, int offset, int length) {
            response.writeBody(piece, offset, length);
          }
        };
    return new OutputStreamWriter(bytes, charset);
  }

  Charset charset() {
    return charset;
  }

  /** Encodes what was written so far. */
  void encode() {
    try {
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is no stream that could fail
    }
  }

  /** Drops what was not encoded yet. */
  void discard() {
    encoder = encoder();
  }

  @Override
  public void write(char[] text, int offset, int length) throws IOException {
    response.noteWritten(length);
    encoder.write(text, offset, length);
  }

  @Override
  public void write(String text, int offset, int length) throws IOException {
    response.noteWritten(length);
    encoder.write(text, offset, length);
  }

  @Override
  public void flush() {
    response.flushBuffer();
  }

  @Override
  public void close() {
    response.close();
  }
}
