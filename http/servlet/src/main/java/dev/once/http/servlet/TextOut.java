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
 * Encoded text back to a writer. A response whose writer was asked for has to be written by that
 * writer: only then does the container name the charset as it would have done.
 */
final class TextOut extends OutputStream {

  private final Writer writer;
  private final CharsetDecoder decoder;

  /** Bytes of a character that is not complete. */
  private ByteBuffer rest = ByteBuffer.allocate(0);

  TextOut(Writer writer, Charset charset) {
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
    ByteBuffer input = ByteBuffer.allocate(rest.remaining() + length);
    input.put(rest).put(bytes, offset, length).flip();
    CharBuffer text =
        CharBuffer.allocate((int) (input.remaining() * (double) decoder.maxCharsPerByte()) + 1);
    decoder.decode(input, text, false);
    rest = input.slice();
    writer.write(text.array(), 0, text.position());
  }
}
