package dev.once.testing.consumers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** A pom, asked by XPath; without its namespace. */
record Xml(Document document) {

  static Xml read(Path file) {
    try {
      return new Xml(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
    } catch (Exception e) {
      throw new IllegalStateException(file + ": cannot be read", e);
    }
  }

  String text(String path) {
    return String.join(" ", texts(path));
  }

  List<String> texts(String path) {
    try {
      NodeList nodes =
          (NodeList)
              XPathFactory.newInstance()
                  .newXPath()
                  .evaluate(path, document, XPathConstants.NODESET);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < nodes.getLength(); i++) {
        texts.add(nodes.item(i).getTextContent().strip());
      }
      return texts;
    } catch (Exception e) {
      throw new IllegalArgumentException(path, e);
    }
  }
}
