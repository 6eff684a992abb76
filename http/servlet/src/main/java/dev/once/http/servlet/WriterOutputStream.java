package dev.once.http.servlet;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/**
 * Decodes encoded text again, and writes it to a writer. A response whose writer was asked for has
 * to be written by that writer: only then does the container name the charset as it would have
 * done.
 */
final class WriterOutputStream extends OutputStream {

  private final Writer writer;
  private final CharsetDecoder decoder;

  /** The first bytes of a character whose last ones have not come yet. */
  private ByteBuffer incomplete = ByteBuffer.allocate(0);

  WriterOutputStream(Writer writer, Charset charset) {
    this.writer = writer;
    this.decoder =
        charset
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    ByteBuffer input = ByteBuffer.allocate(incomplete.remaining() + length);
    input.put(incomplete).put(bytes, offset, length).flip();
    CharBuffer text =
        CharBuffer.allocate((int) (input.remaining() * (double) decoder.maxCharsPerByte()) + 1);
    decoder.decode(input, text, false);
    incomplete = input.slice();
    writer.write(text.array(), 0, text.position());
  }
}
