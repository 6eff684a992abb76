package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Lease;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which operations are the same: those whose tenant, user, route and key are equal to the byte. */
abstract class Identity extends Topic {

  Identity(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void has_the_tenant_in_it() {
    assertDistinct(scoped("acme", "alice", "/a"), scoped("globex", "alice", "/a"));
  }

  @Test
  void has_the_user_in_it() {
    assertDistinct(scoped("acme", "alice", "/a"), scoped("acme", "bob", "/a"));
  }

  @Test
  void has_the_route_in_it() {
    assertDistinct(scoped("acme", "alice", "/a"), scoped("acme", "alice", "/b"));
  }

  @Test
  void does_not_let_one_part_run_into_the_next() {
    assertDistinct(
        scoped("ab", "c", ""),
        scoped("a", "bc", ""),
        scoped("", "abc", ""),
        scoped("", "", "abc"),
        scoped("abc", "", ""),
        new OperationId(new Scope("", "", "a"), Key.of("bk")),
        new OperationId(new Scope("", "", "ab"), Key.of("k")));
  }

  @Test
  void is_not_confused_by_separators_in_a_part() {
    for (String separator : List.of(":", "/", "|", ",", " ", "\0", "\n", "%", "{}", "'", "\\")) {
      assertDistinct(
          scoped("a" + separator + "b", "c", ""),
          scoped("a", "b" + separator + "c", ""),
          scoped("a", "b", "c" + separator));
    }
  }

  @Test
  void tells_upper_from_lower_case() {
    assertDistinct(id("abc"), id("ABC"), id("Abc"));
    assertDistinct(scoped("acme", "", ""), scoped("Acme", "", ""));
  }

  @Test
  void counts_spaces_at_either_end() {
    assertDistinct(id("a"), id("a "), id(" a"), id("a\0"), id("a\t"));
    assertDistinct(scoped("a", "", ""), scoped("a ", "", ""), scoped(" a", "", ""));
  }

  @Test
  void does_not_normalise_text() {
    String composed = "\u00e9";
    String decomposed = "e\u0301";
    assertDistinct(id(composed), id(decomposed), id("e"));
    assertDistinct(scoped(composed, "", ""), scoped(decomposed, "", ""), scoped("e", "", ""));
  }

  @Test
  void takes_any_text_in_the_scope() {
    String longest = "x".repeat(Scope.MAX_PART_LENGTH);
    assertDistinct(
        scoped("", "", ""),
        scoped("Ωmega 株式会社", "Zoë", "/Straße"),
        scoped("Ωmega 株式会社", "Zoe", "/Strasse"),
        scoped("\ud83d\ude80", "", ""),
        scoped("\ud83d\ude81", "", ""),
        scoped(longest, longest, longest),
        scoped(longest, longest, longest.substring(1)));
  }

  @Test
  void takes_each_byte_as_a_key() {
    assertDistinct(IntStream.range(0, 256).mapToObj(i -> keyed((byte) i)));
  }

  @Test
  void takes_keys_of_every_length() {
    assertDistinct(Stream.of(1, 2, 299, 300, Key.MAX_BYTES - 1, Key.MAX_BYTES).map(this::zeros));
  }

  @Test
  void tells_keys_apart_by_their_last_byte() {
    for (int length : new int[] {2, 300, Key.MAX_BYTES}) {
      byte[] key = new byte[length];
      Arrays.fill(key, (byte) 'k');
      byte[] other = key.clone();
      other[length - 1]++;
      assertDistinct(keyed(key), keyed(other));
    }
  }

  private OperationId zeros(int length) {
    return keyed(new byte[length]);
  }

  private static OperationId keyed(byte... key) {
    return new OperationId(SCOPE, new Key(Bytes.copyOf(key)));
  }

  private static OperationId scoped(String tenant, String user, String route) {
    return new OperationId(new Scope(tenant, user, route), Key.of("k"));
  }

  private void assertDistinct(OperationId... ids) {
    assertDistinct(Stream.of(ids));
  }

  /** Each of them is granted, and at the end each has its own fingerprint and answer. */
  private void assertDistinct(Stream<OperationId> distinct) {
    List<OperationId> ids = distinct.toList();
    List<Lease> leases =
        IntStream.range(0, ids.size())
            .mapToObj(i -> store.granted(request(ids.get(i), fingerprint(i))))
            .toList();
    for (int i = 0; i < leases.size(); i++) {
      assertThat(leases.get(i).id()).isEqualTo(ids.get(i));
      assertThat(store.complete(leases.get(i), answer(i), RETENTION)).isTrue();
    }
    for (int i = 0; i < ids.size(); i++) {
      assertThat(store.claim(request(ids.get(i))))
          .isEqualTo(new Finished(fingerprint(i), answer(i)));
      assertThat(store.found(ids.get(i)).lease()).isEqualTo(leases.get(i));
    }
    leases.forEach(lease -> store.forceRelease(lease.id(), lease.fence()));
  }

  private static Fingerprint fingerprint(int i) {
    return Fingerprint.of("operation " + i);
  }

  private static Answer answer(int i) {
    return Answer.success(200, Body.of("answer " + i));
  }
}
