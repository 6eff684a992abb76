package dev.once.core.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Outcome;
import dev.once.core.store.RecordFormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AnswerCodecTest {

  @Test
  void any_answer_survives_the_way_there_and_back() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 5_000; i++) {
      Answer answer = random(random);
      assertThat(AnswerCodec.decode(AnswerCodec.encode(answer))).isEqualTo(answer);
    }
  }

  /** The bytes of the first release, which every later one must read. */
  @Test
  void format_1_is_read_as_it_was_written_first() {
    Answer answer =
        Answer.success(201, Body.of("paid")).withHeaders(List.of(new Header("Location", "/1")));
    String first = "0100000000c9000100000008" + "4c6f636174696f6e" + "000000022f31" + "0070616964";
    assertThat(HexFormat.of().formatHex(AnswerCodec.encode(answer))).isEqualTo(first);
    assertThat(AnswerCodec.decode(HexFormat.of().parseHex(first))).isEqualTo(answer);
  }

  @Test
  void format_2_is_read_as_it_was_written_first() {
    byte[] first = HexFormat.of().parseHex("0200000134636060603809c40aa380680000");
    Answer answer = Answer.success(201, Body.of(" ".repeat(300)));
    assertThat(AnswerCodec.decode(first)).isEqualTo(answer);
    assertThat(AnswerCodec.encode(answer)).startsWith(2, 0, 0, 1, 0x34).hasSizeLessThan(50);
  }

  @Test
  void damaged_bytes_are_refused_and_never_misread_into_something_huge() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] encoded = AnswerCodec.encode(random(random));
      byte[] cut = Arrays.copyOf(encoded, random.nextInt(encoded.length));
      readOrRefuse(cut);
      encoded[random.nextInt(encoded.length)] ^= (byte) (1 << random.nextInt(8));
      readOrRefuse(encoded);
    }
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      AnswerCodec.decode(bytes);
    } catch (RecordFormatException expected) {
      assertThat(expected).hasMessageStartingWith("answer: ");
    }
  }

  @Test
  void a_newer_format_is_named() {
    assertThatExceptionOfType(RecordFormatException.class)
        .isThrownBy(() -> AnswerCodec.decode(new byte[] {9, 0, 0}))
        .withMessageContaining("format 9 (expected: 1 or 2)");
  }

  @Test
  void a_record_that_would_grow_beyond_what_it_says_is_refused() {
    byte[] bomb = deflated(new byte[10_000_000]);
    byte[] lying = new byte[5 + bomb.length];
    System.arraycopy(bomb, 0, lying, 5, bomb.length);
    lying[0] = 2;
    lying[4] = 100;
    assertThatExceptionOfType(RecordFormatException.class)
        .isThrownBy(() -> AnswerCodec.decode(lying))
        .withMessageContaining("more or fewer bytes");
    lying[1] = 0x7f;
    assertThatExceptionOfType(RecordFormatException.class)
        .isThrownBy(() -> AnswerCodec.decode(lying))
        .withMessageContaining("expected: 0 to");
  }

  private static byte[] deflated(byte[] content) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    deflater.setInput(content);
    deflater.finish();
    byte[] buffer = new byte[content.length];
    int size = deflater.deflate(buffer);
    deflater.end();
    return Arrays.copyOf(buffer, size);
  }

  private static Answer random(SplittableRandom random) {
    List<Header> headers = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      headers.add(new Header("x-" + random.nextInt(3), "wert ü " + random.nextLong()));
    }
    List<Outcome> outcomes = List.of(Outcome.values());
    Outcome outcome = outcomes.get(random.nextInt(outcomes.size()));
    return new Answer(outcome, random.nextInt(), headers, randomBody(random));
  }

  private static Body randomBody(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(random.nextBoolean() ? 64 : 4096)];
    if (random.nextBoolean()) {
      random.nextBytes(bytes);
    }
    return switch (random.nextInt(6)) {
      case 0 -> new Body.Omitted();
      case 1 -> new Body.Digest(random.nextLong(Long.MAX_VALUE), Bytes.wrap(new byte[32]));
      default -> new Body.Full(Bytes.wrap(bytes));
    };
  }
}
