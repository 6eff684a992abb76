package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.report.JUnitXmlWriter;
import dev.once.http.conformance.report.JsonWriter;
import dev.once.http.conformance.report.Level;
import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;
import dev.once.http.conformance.report.TableWriter;
import dev.once.http.conformance.wire.Json;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class WritersTest {

  private static final Rule KEPT = new Rule("draft-1", "2.1", Level.MUST, "It is <kept>.");
  private static final Rule BROKEN = new Rule("draft-2", "2.6", Level.SHOULD, "It is broken.");
  private static final Rule ABSENT = new Rule("beyond-1", "", Level.BEYOND, "It is absent.");
  private static final Rule SKIPPED = new Rule("beyond-2", "", Level.BEYOND, "It is skipped.");
  private static final Rule UNSEEN = new Rule("draft-3", "5", Level.SHOULD, "It is unseen.");

  private static Report report(boolean strict) {
    Duration took = Duration.ofMillis(1234);
    return new Report(
        "http://localhost/orders?a=1&b=\"2\"",
        strict,
        List.of(
            new Result(KEPT, Outcome.PASSED, List.of(), took),
            new Result(BROKEN, Outcome.FAILED, List.of("expected: a & b", "got:  <c>"), took),
            new Result(UNSEEN, Outcome.NOT_OBSERVED, List.of("too fast"), took),
            new Result(ABSENT, Outcome.FAILED, List.of("expected: more"), took),
            new Result(SKIPPED, Outcome.SKIPPED, List.of("needs --flag: why"), took)),
        took);
  }

  @Test
  @DisplayName("the table has two groups, the detail of what did not pass, and a verdict")
  void the_table_has_two_groups_details_and_a_verdict() {
    assertThat(ConformanceRuns.table(report(false)))
        .isEqualTo(
            """
            http://localhost/orders?a=1&b="2"  (draft-ietf-httpapi-idempotency-key-header-07)

            What the draft asks
              passed        MUST   2.1 It is <kept>.  draft-1
              FAILED        SHOULD 2.6 It is broken.  draft-2
                            expected: a & b
                            got:  <c>
              not observed  SHOULD 5   It is unseen.  draft-3
                            too fast

            What good servers do beyond it
              missing       It is absent.  beyond-1
                            expected: more
              skipped       It is skipped.  beyond-2
                            needs --flag: why

            Broken: draft-2. 1 passed, 1 failed, 1 missing, 1 skipped, 1 not observed.
            """);
  }

  @Test
  @DisplayName("when strict, what is missing beyond the draft has failed")
  void when_strict_what_is_missing_beyond_the_draft_has_failed() {
    assertThat(ConformanceRuns.table(report(true)))
        .contains("FAILED        It is absent.")
        .endsWith(
            "Broken: draft-2, beyond-1. 1 passed, 2 failed, 0 missing, 1 skipped,"
                + " 1 not observed.\n");
  }

  @Test
  @DisplayName("colours come and go by a switch")
  void colours_come_and_go_by_a_switch() throws IOException {
    StringBuilder coloured = new StringBuilder();
    new TableWriter(true).write(report(false), coloured);
    assertThat(coloured).contains("\u001b[31m").contains("\u001b[32m");
    assertThat(coloured.toString().replaceAll("\u001b\\[\\d+m", ""))
        .isEqualTo(ConformanceRuns.table(report(false)));
  }

  @Test
  @DisplayName("the verdict says how much could not be judged")
  void the_verdict_says_how_much_could_not_be_judged() {
    Result kept = new Result(KEPT, Outcome.PASSED, List.of(), Duration.ZERO);
    Result unseen = new Result(UNSEEN, Outcome.NOT_OBSERVED, List.of("too fast"), Duration.ZERO);
    assertThat(new Report("u", false, List.of(kept, unseen), Duration.ZERO).verdict())
        .startsWith("Nothing broken: 1 of 2 rules of the draft hold.");
    assertThat(new Report("u", false, List.of(kept), Duration.ZERO).verdict())
        .startsWith("Conforms: all 1 rules of the draft hold.");
  }

  @Test
  @DisplayName("the JSON can be read back")
  void the_json_can_be_read_back() throws IOException {
    StringWriter text = new StringWriter();
    new JsonWriter().write(report(false), text);
    Json json = Json.parse(text.toString()).orElseThrow();
    assertThat(json.words("url")).contains("http://localhost/orders?a=1&b=\"2\"");
    assertThat(json.words("draft")).contains(Report.DRAFT);
    assertThat(json.at("/broken")).contains(new Json.Literal("true"));
    assertThat(json.at("/counts/not-observed")).contains(new Json.Literal("1"));
    assertThat(json.at("/results/1/id")).contains(new Json.Words("draft-2"));
    assertThat(json.at("/results/1/outcome")).contains(new Json.Words("failed"));
    assertThat(json.at("/results/1/level")).contains(new Json.Words("SHOULD"));
    assertThat(json.at("/results/1/section")).contains(new Json.Words("2.6"));
    assertThat(json.at("/results/1/detail/1")).contains(new Json.Words("got:  <c>"));
    assertThat(json.at("/results/4/outcome")).contains(new Json.Words("skipped"));
    assertThat(json.at("/results/5")).isEmpty();
  }

  @Test
  @DisplayName("the XML can be read back, and what is missing is skipped there")
  void the_xml_can_be_read_back_and_what_is_missing_is_skipped_there() throws Exception {
    Element suite = xml(report(false));
    assertThat(suite.getAttribute("tests")).isEqualTo("5");
    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    assertThat(suite.getAttribute("skipped")).isEqualTo("3");
    assertThat(suite.getAttribute("time")).isEqualTo("1.234");
    Element failed = (Element) suite.getElementsByTagName("testcase").item(1);
    assertThat(failed.getAttribute("classname")).isEqualTo("once.draft");
    assertThat(failed.getAttribute("name")).isEqualTo("draft-2: It is broken.");
    assertThat(failed.getTextContent()).isEqualTo("expected: a & b\ngot:  <c>");
    assertThat(suite.getElementsByTagName("failure").getLength()).isEqualTo(1);
    Element missing = (Element) suite.getElementsByTagName("skipped").item(1);
    assertThat(missing.getAttribute("message")).isEqualTo("missing: expected: more");
  }

  @Test
  @DisplayName("when strict, what is missing is a failure in the XML")
  void when_strict_what_is_missing_is_a_failure_in_the_xml() throws Exception {
    Element suite = xml(report(true));
    assertThat(suite.getAttribute("failures")).isEqualTo("2");
    assertThat(suite.getElementsByTagName("failure").getLength()).isEqualTo(2);
  }

  @Test
  @DisplayName("what a server sends cannot break the XML or paint the terminal")
  void what_a_server_sends_cannot_break_the_xml_or_paint_the_terminal() throws Exception {
    String evil = "\u001b[31mred\u0000\u0007 \uFFFF ]]> <b>&amp; \u202E \u00e9 \uD83D\uDE00";
    try (JdkFront server =
        JdkFront.of(in -> Outgoing.of(201, "text/plain", evil + System.nanoTime()))) {
      Report report = ConformanceRuns.run(Target.at(server.url("/orders")));
      assertThat(report.broken()).isTrue();
      Element suite = xml(report);
      assertThat(suite.getElementsByTagName("failure").getLength())
          .isEqualTo(report.failed().size());
      assertThat(suite.getTextContent())
          .contains("red")
          .contains("]]> <b>&amp;")
          .contains("\u00e9 \uD83D\uDE00");
      assertThat(ConformanceRuns.table(report)).doesNotContain("\u001b").doesNotContain("\u202E");
    }
  }

  private static Element xml(Report report) throws Exception {
    StringWriter text = new StringWriter();
    new JUnitXmlWriter().write(report, text);
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(text.toString())))
        .getDocumentElement();
  }
}
