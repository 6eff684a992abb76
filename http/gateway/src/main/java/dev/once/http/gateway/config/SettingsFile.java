package dev.once.http.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads YAML down to its nodes and no further: nothing is constructed from it, and each node knows
 * its line.
 */
final class SettingsFile {

  private static final int MAX_BYTES = 1024 * 1024;
  private static final int DEEPEST = 10;

  private final Path file;
  private final ConfigurationErrors errors;

  SettingsFile(Path file, ConfigurationErrors errors) {
    this.file = file;
    this.errors = errors;
  }

  /**
   * What was read.
   *
   * @param root null if there is nothing
   * @param isYaml false for what was reported as an error
   */
  record Content(@Nullable Node root, boolean isYaml) {}

  Content read() {
    String text = text();
    if (text == null) {
      return new Content(null, false);
    }
    LoaderOptions limits = new LoaderOptions();
    limits.setCodePointLimit(MAX_BYTES);
    limits.setNestingDepthLimit(DEEPEST);
    limits.setMaxAliasesForCollections(DEEPEST);
    try {
      Node root = new Yaml(new SafeConstructor(limits)).compose(new StringReader(text));
      if (saysSomething(root)) {
        return new Content(root, true);
      }
      // It was cut off, or is about to be written; else nobody would name it.
      addError("says nothing (expected: settings such as 'upstream: http://localhost:3000')");
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      Origin origin = Origin.line(file.toString(), line);
      errors.addLine(origin, origin + ": not YAML: " + hinted(oneLine(e.getProblem())));
    } catch (YAMLException e) {
      addError("not YAML: " + oneLine(e.getMessage()));
    }
    return new Content(null, false);
  }

  private static boolean saysSomething(@Nullable Node root) {
    return root != null
        && !YamlMaps.isNothing(root)
        && !(root instanceof MappingNode map && map.getValue().isEmpty());
  }

  private @Nullable String text() {
    if (Files.isDirectory(file)) {
      addError("is a folder (expected: a file of settings)");
      return null;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length <= MAX_BYTES) {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      }
      addError("more than 1 MB (expected: a file of settings)");
    } catch (CharacterCodingException e) {
      addError("not text in UTF-8");
    } catch (NoSuchFileException e) {
      addError("there is no such file in " + file.toAbsolutePath().normalize().getParent());
    } catch (IOException e) {
      addError("cannot be read: " + oneLine(e.getMessage()));
    }
    return null;
  }

  private void addError(String error) {
    Origin whole = Origin.line(file.toString(), 0);
    errors.addLine(whole, file + ": " + error);
  }

  /** Says what to do where a value such as {@code memory:} confuses YAML. */
  private static String hinted(String problem) {
    return problem.startsWith("mapping values are not allowed")
        ? "a colon where none can be (expected: quotes around a text that ends in one)"
        : problem;
  }

  private static String oneLine(@Nullable String text) {
    return text == null ? "unknown" : text.strip().replaceAll("\\s+", " ");
  }
}
