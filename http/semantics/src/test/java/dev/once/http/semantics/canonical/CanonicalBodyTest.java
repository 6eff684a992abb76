package dev.once.http.semantics.canonical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import dev.once.http.semantics.canonical.CanonicalBody.Kind;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CanonicalBodyTest {

  private static final Bytes JSON = Bytes.utf8("{\"b\": 1, \"a\": 2}");
  private static final Bytes FORM = Bytes.utf8("b=1&a=2");
  private static final String FORM_TYPE = "application/x-www-form-urlencoded";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "Application/JSON",
        " application/json ",
        "application/json;charset=utf-8",
        "application/json; charset=UTF-8",
        "application/json ; charset=\"Utf-8\" ; v=1",
        "application/json;",
        "application/json;;",
        "application/json; note=\"a; charset=latin1\"",
        "application/json; note=\"a\\\"; charset=latin1\"",
        "application/merge-patch+json",
        "application/vnd.api+json; version=2",
        "model/gltf+json",
        "application/problem+JSON"
      })
  void json_types_have_the_form_of_rfc_8785(String type) {
    assertThat(CanonicalBody.of(type, null, JSON))
        .isEqualTo(new CanonicalBody(Kind.JSON, Bytes.utf8("{\"a\":2,\"b\":1}")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "json",
        "text/json",
        "text/plain",
        "application/octet-stream",
        "application/jsonl",
        "application/json+zip",
        "application/json-patch",
        "application/ndjson",
        "application/j\u017Fon",
        "application/json, text/plain",
        "application/json/x",
        "application /json",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "application/json; CHARSET=latin1",
        "application/json; charset=utf8",
        "application/json; charset=",
        "application/json; charset",
        "application/json; charset =latin1",
        "application/json; char\u017Fet=latin1",
        "application/json; charset=\"utf-8",
        "application/json; charset=utf-8; charset=latin1",
        "application/json; v=\"1\\\\\"; charset=latin1"
      })
  void other_types_and_charsets_are_left_raw(String type) {
    assertThat(CanonicalBody.of(type, null, JSON)).isEqualTo(new CanonicalBody(Kind.RAW, JSON));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {FORM_TYPE, "Application/X-WWW-Form-Urlencoded", FORM_TYPE + "; charset=utf-8"})
  void forms_are_sorted(String type) {
    assertThat(CanonicalBody.of(type, null, FORM))
        .isEqualTo(new CanonicalBody(Kind.FORM, Bytes.utf8("a=2&b=1")));
  }

  @Test
  void forms_in_another_charset_are_left_raw() {
    assertThat(CanonicalBody.of(FORM_TYPE + ";charset=windows-1252", null, FORM).kind())
        .isEqualTo(Kind.RAW);
  }

  private static Bytes parts(String boundary, String... parts) {
    StringBuilder body = new StringBuilder();
    for (String part : parts) {
      body.append("--").append(boundary).append("\r\n").append(part).append("\r\n");
    }
    return Bytes.utf8(body + "--" + boundary + "--\r\n");
  }

  private static CanonicalBody multipart(String boundary, Bytes body) {
    return CanonicalBody.of("multipart/form-data; boundary=\"" + boundary + "\"", null, body);
  }

  private static final String A = "Content-Disposition: form-data; name=\"a\"\r\n\r\n1";
  private static final String B = "Content-Disposition: form-data; name=\"b\"\r\n\r\n1";

  @Test
  void parts_are_the_same_whatever_their_boundary() {
    CanonicalBody one = multipart("one", parts("one", A, B));
    assertThat(one.kind()).isEqualTo(Kind.MULTIPART);
    assertThat(multipart("= other?", parts("= other?", A, B))).isEqualTo(one);
    assertThat(multipart("one", parts("one", A.replace("Content-D", "content-d"), B)))
        .isEqualTo(one);
    Bytes withoutLineEnd = Bytes.utf8(parts("one", A, B).toUtf8().stripTrailing());
    assertThat(multipart("one", withoutLineEnd)).isEqualTo(one);
  }

  @Test
  void other_parts_are_not_the_same() {
    assertThat(
            List.of(
                multipart("x", parts("x", A)),
                multipart("x", parts("x", B)),
                multipart("x", parts("x", A, B)),
                multipart("x", parts("x", B, A)),
                multipart("x", parts("x", A, A)),
                multipart("x", parts("x", A + "\r\n")),
                multipart("x", parts("x", A + "\r\n--y\r\n" + B)),
                multipart("x", parts("x", "Content-Type: text/plain\r\n" + A)),
                multipart("x", parts("x", "\r\n" + A)),
                multipart("x", parts("x", "\r\n"))))
        .doesNotHaveDuplicates()
        .allMatch(body -> body.kind() == Kind.MULTIPART);
  }

  @Test
  void the_fields_of_a_part_may_come_in_any_order() {
    String type = "Content-Type: text/plain\r\n";
    String name = "Content-Disposition: form-data\r\n";
    assertThat(multipart("x", parts("x", type + name + "\r\n1")))
        .isEqualTo(multipart("x", parts("x", name + type + "\r\n1")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "text",
        "--x",
        "--x\r\n",
        "--x--x",
        "before\r\n--x\r\n\r\n1\r\n--x--\r\n",
        "--x\r\n\r\n1\r\n--x--\r\nafter",
        "--x\r\n\r\n1\r\n--x-- \r\n",
        "--x \r\n\r\n1\r\n--x--\r\n",
        "--x\r\nA: 1\r\n\r\n--x\r\nA: 2\r\n\r\n1\r\n--x--\r\n",
        "--x\r\n\r\n1\n--x\n\n2\r\n--x--\r\n",
        "--x\r\n\r\n1\r\n--xy\r\n\r\n2\r\n--x--\r\n",
        "--x\r\n\r\n1\r\n--x\r\n",
        "--x\n\n1\n--x--\n",
        "--x\r\nA: 1\n\r\n1\r\n--x--\r\n",
        "--x\r\nA: 1\r\n b\r\n\r\n1\r\n--x--\r\n",
        "--x\r\nno colon\r\n\r\n1\r\n--x--\r\n",
        "--x\r\n: 1\r\n\r\n1\r\n--x--\r\n",
        "--x\r\nA : 1\r\n\r\n1\r\n--x--\r\n",
        "--x\r\nA: 1\r\n--x--\r\n",
        "--y\r\n\r\n1\r\n--y--\r\n"
      })
  void parts_that_readers_could_see_in_two_ways_are_left_raw(String body) {
    Bytes bytes = Bytes.utf8(body);
    assertThat(multipart("x", bytes))
        .isEqualTo(new CanonicalBody(body.isEmpty() ? Kind.EMPTY : Kind.RAW, bytes));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=x; boundary=x",
        "multipart/form-data; boundary=\"x",
        "multipart/form-data; boundary=\"x \"",
        "multipart/form-data; boundary=\"x\u00e9\"",
        "form-data; boundary=x"
      })
  void without_one_good_boundary_parts_are_left_raw(String type) {
    assertThat(CanonicalBody.of(type, null, parts("x", A)).kind()).isEqualTo(Kind.RAW);
  }

  @Test
  void without_a_type_a_body_is_left_raw() {
    assertThat(CanonicalBody.of(null, null, JSON)).isEqualTo(new CanonicalBody(Kind.RAW, JSON));
  }

  @Test
  void a_body_that_is_not_what_its_type_says_is_left_raw() {
    assertThat(CanonicalBody.of("application/json", null, FORM))
        .isEqualTo(new CanonicalBody(Kind.RAW, FORM));
    Bytes notAForm = Bytes.utf8("a=%");
    assertThat(CanonicalBody.of(FORM_TYPE, null, notAForm))
        .isEqualTo(new CanonicalBody(Kind.RAW, notAForm));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "identity", "Identity "})
  void a_body_that_is_not_encoded_is_looked_into(String encoding) {
    assertThat(CanonicalBody.of("application/json", encoding, JSON).kind()).isEqualTo(Kind.JSON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br", "deflate", "zstd", "identity, gzip", "x"})
  void a_body_that_is_encoded_is_left_raw(String encoding) {
    assertThat(CanonicalBody.of("application/json", encoding, JSON))
        .isEqualTo(new CanonicalBody(Kind.RAW, JSON));
    assertThat(CanonicalBody.of(FORM_TYPE, encoding, FORM).kind()).isEqualTo(Kind.RAW);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"application/json", FORM_TYPE, "text/plain"})
  void no_bytes_are_empty_whatever_the_type(String type) {
    assertThat(CanonicalBody.of(type, "gzip", Bytes.EMPTY))
        .isEqualTo(new CanonicalBody(Kind.EMPTY, Bytes.EMPTY));
  }
}
