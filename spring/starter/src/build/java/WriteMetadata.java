import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.PolicyValue;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Adds the values of a policy to the metadata by which IDEs complete {@code once.*}. Boot's
 * annotation processor writes the rest of it, from setters and Javadoc; these values have none, and
 * are read from their table. Run by the build, and not part of the jar.
 */
final class WriteMetadata {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private WriteMetadata() {}

  public static void main(String[] args) throws IOException {
    File file = new File(args[0]);
    ObjectNode metadata = (ObjectNode) JSON.readTree(file);
    ArrayNode properties = metadata.withArray("properties");
    ArrayNode hints = metadata.withArray("hints");
    List<String> names =
        Arrays.stream(PolicyValue.values()).map(value -> "once." + value.label()).toList();
    // A build that compiles nothing anew finds what an earlier one has added.
    properties.removeIf(property -> names.contains(property.get("name").asText()));
    hints.removeIf(hint -> names.contains(hint.get("name").asText()));
    for (PolicyValue value : PolicyValue.values()) {
      properties.add(property(value));
      if (!words(value).isEmpty()) {
        hints.add(hint(value));
      }
    }
    JSON.writeValue(file, metadata);
  }

  private static ObjectNode property(PolicyValue value) {
    ObjectNode property =
        JSON.createObjectNode()
            .put("name", "once." + value.label())
            .put("type", type(value))
            .put("description", sentence(value.meaning()))
            .put("sourceType", "dev.once.spring.OnceProperties");
    String shown = value.show(HttpPolicy.DEFAULT);
    switch (value.kind()) {
      case BOOLEAN -> property.put("defaultValue", Boolean.parseBoolean(shown));
      case NUMBER -> property.put("defaultValue", Integer.parseInt(shown));
      default -> property.put("defaultValue", shown);
    }
    return property;
  }

  /** Sizes are texts: ours may be written shorter than those of Spring, as 1m. */
  private static String type(PolicyValue value) {
    return switch (value.kind()) {
      case BOOLEAN -> "java.lang.Boolean";
      case NUMBER -> "java.lang.Integer";
      case DURATION -> "java.time.Duration";
      case LIST -> "java.util.List<java.lang.String>";
      case NAME, BYTES, WORD -> "java.lang.String";
    };
  }

  private static ObjectNode hint(PolicyValue value) {
    ObjectNode hint = JSON.createObjectNode().put("name", "once." + value.label());
    for (PolicyValue.Word word : words(value)) {
      ObjectNode one = hint.withArray("values").addObject().put("value", word.text());
      if (!word.meaning().isEmpty()) {
        one.put("description", sentence(word.meaning()));
      }
    }
    hint.withArray("providers").addObject().put("name", "any");
    return hint;
  }

  private static List<PolicyValue.Word> words(PolicyValue value) {
    return value.kind() == PolicyValue.Kind.BOOLEAN
        ? List.of(new PolicyValue.Word("true", ""), new PolicyValue.Word("false", ""))
        : value.words();
  }

  private static String sentence(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
  }
}
