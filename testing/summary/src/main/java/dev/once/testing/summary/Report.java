package dev.once.testing.summary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * What Surefire wrote about one test class.
 *
 * @param name of the class, with its module
 * @param seconds how long the class took
 * @param tests how many tests it has
 * @param skipped the reason of each test that was skipped
 */
record Report(String name, double seconds, int tests, List<String> skipped) {

  /** What Surefire and JUnit put in front of the words of {@code assumeTrue}. */
  private static final Pattern ASSUMED =
      Pattern.compile("^(\\S+TestAbortedException: )?(Assumption failed: )?");

  /** Reads a report; {@code module} is the folder of its module. */
  static Report read(String module, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(module, XMLInputFactory.newFactory().createXMLStreamReader(in));
    } catch (XMLStreamException e) {
      throw new IOException(file + ": not a report of tests", e);
    }
  }

  private static Report read(String module, XMLStreamReader xml) throws XMLStreamException {
    String name = "";
    double seconds = 0;
    int tests = 0;
    List<String> skipped = new ArrayList<>();
    while (xml.hasNext()) {
      if (xml.next() != XMLStreamReader.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "testsuite" -> {
          String type = attribute(xml, "name");
          name = type.substring(type.lastIndexOf('.') + 1) + " (" + module + ")";
          seconds = Double.parseDouble(attribute(xml, "time").replace(",", ""));
        }
        case "testcase" -> tests++;
        case "skipped" -> skipped.add(reason(attribute(xml, "message") + xml.getElementText()));
        default -> {}
      }
    }
    return new Report(name, seconds, tests, List.copyOf(skipped));
  }

  private static String attribute(XMLStreamReader xml, String name) {
    String value = xml.getAttributeValue(null, name);
    return value == null ? "" : value;
  }

  /** Of a message, or of a stack trace, the first line. */
  private static String reason(String text) {
    String first = text.lines().findFirst().orElse("");
    String plain = ASSUMED.matcher(first).replaceFirst("").strip();
    return plain.isEmpty() ? "no reason given" : plain;
  }
}
