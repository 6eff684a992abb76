package dev.once.http.conformance.report;

import dev.once.http.conformance.wire.Text;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a report as JUnit's XML, which build servers show. What is missing beyond the draft is a
 * skipped test, unless the report is strict.
 */
public final class JUnitXmlWriter {

  /** Writes all of the report; flushes the writer, and leaves it open. */
  public void write(Report report, Writer out) throws IOException {
    try {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "once check " + Text.printable(report.url()));
      xml.writeAttribute("tests", Integer.toString(report.results().size()));
      xml.writeAttribute("failures", Integer.toString(report.failed().size()));
      xml.writeAttribute("errors", "0");
      xml.writeAttribute("skipped", Long.toString(skipped(report)));
      xml.writeAttribute("time", seconds(report.took()));
      for (Result result : report.results()) {
        write(report, result, xml);
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.flush();
      out.flush();
    } catch (XMLStreamException e) {
      throw new IOException("the report could not be written as XML", e);
    }
  }

  private static long skipped(Report report) {
    return report.results().size() - report.count(Outcome.PASSED) - report.failed().size();
  }

  private static void write(Report report, Result result, XMLStreamWriter xml)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", result.rule().ofDraft() ? "once.draft" : "once.beyond");
    xml.writeAttribute("name", result.rule().id() + ": " + result.rule().title());
    xml.writeAttribute("time", seconds(result.took()));
    if (report.breaks(result)) {
      xml.writeStartElement("failure");
      xml.writeAttribute("message", first(result));
      xml.writeAttribute("type", result.rule().level().name());
      xml.writeCharacters(String.join("\n", result.detail()));
      xml.writeEndElement();
    } else if (result.outcome() != Outcome.PASSED) {
      String word = report.isMissing(result) ? "missing" : Text.word(result.outcome());
      xml.writeEmptyElement("skipped");
      xml.writeAttribute("message", word + ": " + first(result));
    }
    xml.writeEndElement();
  }

  private static String first(Result result) {
    return result.detail().isEmpty() ? "" : result.detail().get(0);
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.3f", duration.toMillis() / 1000.0);
  }
}
