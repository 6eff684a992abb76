package dev.once.http.semantics.canonical;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.util.Arrays;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Each document is made from its number: the number in a failure is enough to see it again. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CanonicalJsonFuzzTest {

  /** More with {@code -Plong}. */
  private static final int ROUNDS = Integer.getInteger("once.rounds", 1);

  private static final int DOCUMENTS = 7_000 * ROUNDS;

  private static byte[] canonical(byte[] body) {
    Bytes canonical = CanonicalJson.of(Bytes.copyOf(body));
    return canonical == null ? null : canonical.toArray();
  }

  @Test
  void random_documents_have_the_bytes_of_the_reference_library() throws Exception {
    for (int seed = 0; seed < DOCUMENTS; seed++) {
      JsonDocuments documents = new JsonDocuments(seed);
      byte[] body = documents.written(documents.document());
      assertThat(canonical(body))
          .as("%d: %s", seed, new String(body, UTF_8))
          .isEqualTo(new JsonCanonicalizer(body).getEncodedUTF8());
    }
  }

  @Test
  void the_order_of_members_spaces_escapes_and_spellings_of_numbers_do_not_matter() {
    for (int seed = 0; seed < DOCUMENTS; seed++) {
      JsonDocuments documents = new JsonDocuments(seed);
      Object document = documents.document();
      byte[] one = documents.written(document);
      byte[] another = documents.written(document);
      assertThat(canonical(one)).as("%d", seed).isNotNull().isEqualTo(canonical(another));
    }
  }

  @Test
  void the_canonical_form_of_a_canonical_form_is_itself() {
    for (int seed = 0; seed < DOCUMENTS; seed++) {
      JsonDocuments documents = new JsonDocuments(seed);
      byte[] canonical = canonical(documents.written(documents.document()));
      assertThat(canonical(canonical)).as("%d", seed).isEqualTo(canonical);
    }
  }

  @Test
  void damaged_documents_are_taken_and_left_as_jackson_takes_and_leaves_them() {
    int taken = 0;
    for (int seed = 0; seed < 3 * DOCUMENTS; seed++) {
      JsonDocuments documents = new JsonDocuments(seed);
      byte[] body = documents.damaged(documents.written(documents.document()));
      byte[] canonical = canonical(body);
      assertThat(canonical)
          .as("%d: %s", seed, new String(body, UTF_8))
          .isEqualTo(SlowCanonicalJson.of(body));
      taken += canonical == null ? 0 : 1;
    }
    // Else the damage would be too little, or too much, to compare anything.
    assertThat(taken).isBetween(DOCUMENTS / 4, 2 * DOCUMENTS);
  }

  @Test
  void a_document_that_is_cut_short_anywhere_is_left_raw() {
    for (int seed = 0; seed < 170 * ROUNDS; seed++) {
      JsonDocuments documents = new JsonDocuments(seed);
      byte[] body = canonical(documents.written(documents.document()));
      for (int length = 0; length < body.length; length++) {
        assertThat(canonical(Arrays.copyOf(body, length))).as("%d at %d", seed, length).isNull();
      }
    }
  }
}
