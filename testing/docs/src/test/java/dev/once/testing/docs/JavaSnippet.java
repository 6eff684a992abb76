package dev.once.testing.docs;

import com.sun.source.util.JavacTask;
import dev.once.testing.docs.Page.Block;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a block of Java as a reader would who copies it.
 *
 * <ul>
 *   <li>A block without a comment is a file of its own: imports, then types.
 *   <li>A block under {@code <!-- java: class Any { void any(Path file) { … } } -->} goes to where
 *       the {@code …} is: the comment has what the reader's own code around it would be. Imports
 *       that the block begins with go to the top, in front of those of the comment.
 *   <li>A block under {@code <!-- not compiled: REASON -->} is left out.
 * </ul>
 */
record JavaSnippet(Block block) {

  private static final Pattern IMPORTS = Pattern.compile("(?:import [^;]+;\\s*)*");
  private static final Pattern PUBLIC_TYPE =
      Pattern.compile("(?m)^public (?:\\w+ )*(?:class|record|interface|enum) (\\w+)");
  private static final String AROUND = "java:";
  private static final String LEFT_OUT = "not compiled:";
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** One for all, which looks into the jars of the class path once. */
  private static final StandardJavaFileManager FILES =
      COMPILER.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);

  boolean isLeftOut() {
    return block.comment().startsWith(LEFT_OUT);
  }

  String reasonToLeaveOut() {
    return block.comment().substring(LEFT_OUT.length()).strip();
  }

  /** The whole source. */
  String source() {
    if (!block.comment().startsWith(AROUND)) {
      return block.text();
    }
    String around = block.comment().substring(AROUND.length()).strip();
    return imports(block.text())
        + imports(around)
        + withoutImports(around).replace("…", withoutImports(block.text()));
  }

  private static String imports(String text) {
    Matcher imports = IMPORTS.matcher(text);
    return imports.lookingAt() ? imports.group() : "";
  }

  private static String withoutImports(String text) {
    return text.substring(imports(text).length());
  }

  /** Compiles it, without writing classes; returns what the compiler says is wrong. */
  List<String> errors() {
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options = List.of("-proc:none", "-Xlint:none");
    JavacTask task =
        (JavacTask)
            COMPILER.getTask(null, FILES, found, options, null, List.of(new Source(source())));
    try {
      task.analyze();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .map(this::told)
        .toList();
  }

  private String told(Diagnostic<? extends JavaFileObject> diagnostic) {
    long line = diagnostic.getLineNumber();
    String at = line < 1 ? "" : source().lines().skip(line - 1).findFirst().orElse("").strip();
    return block + " `" + at + "`: " + diagnostic.getMessage(Locale.ROOT);
  }

  @Override
  public String toString() {
    return block.toString();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///" + name(text) + ".java"), Kind.SOURCE);
      this.text = text;
    }

    private static String name(String text) {
      Matcher type = PUBLIC_TYPE.matcher(text);
      return type.find() ? type.group(1) : "Snippet";
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  static String list(List<JavaSnippet> snippets) {
    return snippets.stream()
        .map(snippet -> snippet + ": " + snippet.reasonToLeaveOut())
        .collect(Collectors.joining("\n"));
  }
}
