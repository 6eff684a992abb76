package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** Reads poms and settings. */
final class Xml {

  private Xml() {}

  /** The root element. */
  static Element read(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(new DefaultHandler()); // says nothing by itself
      return builder.parse(file.toFile()).getDocumentElement();
    } catch (SAXException | ParserConfigurationException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** The elements at a path of names. */
  static List<Element> elements(Element parent, String... path) {
    List<Element> found = List.of(parent);
    for (String name : path) {
      found = found.stream().flatMap(element -> children(element, name).stream()).toList();
    }
    return found;
  }

  static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && (name.equals("*") || child.getTagName().equals(name))) {
        found.add(child);
      }
    }
    return found;
  }

  static Optional<String> text(Element parent, String name) {
    return children(parent, name).stream()
        .map(element -> element.getTextContent().strip())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }
}
