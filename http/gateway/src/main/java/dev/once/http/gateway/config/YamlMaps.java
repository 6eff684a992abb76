package dev.once.http.gateway.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Maps of settings in YAML: names and texts, with their lines. */
final class YamlMaps {

  private final String file;
  private final ConfigurationErrors errors;

  YamlMaps(String file, ConfigurationErrors errors) {
    this.file = file;
    this.errors = errors;
  }

  /** Gives each entry of a map once; false if it is no map. */
  boolean entries(Node node, String expected, BiConsumer<ScalarNode, Node> each) {
    if (!(node instanceof MappingNode map)) {
      errors.addLine(at(node), at(node) + ": " + kind(node) + " (expected: " + expected + ")");
      return false;
    }
    List<ScalarNode> seen = new ArrayList<>();
    for (NodeTuple entry : map.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        Origin origin = at(entry.getKeyNode());
        errors.addLine(origin, origin + ": a key that is no word (expected: a name)");
        continue;
      }
      ScalarNode before =
          seen.stream().filter(k -> k.getValue().equals(key.getValue())).findFirst().orElse(null);
      if (before == null) {
        seen.add(key);
        each.accept(key, entry.getValueNode());
      } else {
        addError(key, "is there twice (expected: once; it is in line " + at(before).line() + ")");
      }
    }
    return true;
  }

  /** Adds the text of a value to a layer, or reports an error. */
  void add(Layer layer, ScalarNode key, Node value, String expected) {
    GivenValue given = given(key, value, expected);
    GivenValue other = given == null ? null : layer.add(given);
    if (other != null) {
      String same = "is the same as %s in line %d (expected: one of them)";
      addError(key, same.formatted(other.label(), other.origin().line()));
    }
  }

  /** The text of a value, a list joined by commas; null for what was reported as an error. */
  private @Nullable GivenValue given(ScalarNode key, Node value, String expected) {
    String label = key.getValue();
    if (SettingNames.isList(label) && value instanceof SequenceNode sequence) {
      List<String> texts = new ArrayList<>();
      for (Node element : sequence.getValue()) {
        if (!(element instanceof ScalarNode scalar) || isNothing(element)) {
          errors.add(at(element), label, kind(element) + " (expected: " + expected + ")");
          return null;
        }
        texts.add(scalar.getValue());
      }
      return new GivenValue(label, String.join(", ", texts), at(key));
    }
    if (!(value instanceof ScalarNode scalar) || isNothing(value)) {
      addError(key, kind(value) + " (expected: " + expected + ")");
      return null;
    }
    return new GivenValue(label, scalar.getValue(), at(key));
  }

  void addError(ScalarNode key, String error) {
    errors.add(at(key), key.getValue(), error);
  }

  Origin at(Node node) {
    return Origin.line(file, node.getStartMark().getLine() + 1);
  }

  static boolean isNothing(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  static String kind(Node node) {
    if (isNothing(node)) {
      return "nothing";
    }
    return node instanceof MappingNode
        ? "a map"
        : node instanceof SequenceNode ? "a list" : "a text";
  }
}
