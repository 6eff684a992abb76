package dev.once.core.store.spi;

import dev.once.core.store.RecordFormatException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Raw DEFLATE. To set a deflater up costs more than to compress 2 KB with it, so they are reused;
 * there are never more than were in use at once.
 */
final class Compression {

  /** Two thirds of the default's time, for 7 % more bytes. */
  private static final int LEVEL = 3;

  private static final ConcurrentLinkedQueue<Deflater> DEFLATERS = new ConcurrentLinkedQueue<>();
  private static final ConcurrentLinkedQueue<Inflater> INFLATERS = new ConcurrentLinkedQueue<>();

  private Compression() {}

  /**
   * The compressed bytes behind {@code reserved} free ones; longer than the content if it cannot be
   * compressed.
   */
  static byte[] compress(byte[] content, int reserved) {
    Deflater pooled = DEFLATERS.poll();
    Deflater deflater = pooled == null ? new Deflater(LEVEL, true) : pooled;
    try {
      deflater.setInput(content);
      deflater.finish();
      byte[] compressed = new byte[reserved + content.length];
      int size = deflater.deflate(compressed, reserved, content.length);
      return deflater.finished() ? Arrays.copyOf(compressed, reserved + size) : compressed;
    } finally {
      deflater.reset();
      DEFLATERS.add(deflater);
    }
  }

  /** Exactly this many bytes: more or fewer are refused, so a small record cannot grow large. */
  static byte[] decompress(byte[] compressed, int from, int size) {
    Inflater pooled = INFLATERS.poll();
    Inflater inflater = pooled == null ? new Inflater(true) : pooled;
    try {
      inflater.setInput(compressed, from, compressed.length - from);
      byte[] content = new byte[size];
      int inflated = inflater.inflate(content);
      if (inflated != size || !(inflater.finished() || inflater.inflate(new byte[1]) == 0)) {
        throw new RecordFormatException(
            "answer: more or fewer bytes when decompressed (expected: " + size + ")");
      }
      return content;
    } catch (DataFormatException e) {
      throw new RecordFormatException("answer: damaged, " + e.getMessage());
    } finally {
      inflater.reset();
      INFLATERS.add(inflater);
    }
  }
}
