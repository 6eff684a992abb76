package dev.once.testing.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Markdown file of the repository: its code blocks, links and headings. */
record Page(Path file, List<String> lines) {

  /** The root of the repository. Tests run in the folder of their module. */
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private static final Pattern FENCE = Pattern.compile("( *)```(\\S*).*");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
  private static final Pattern CODE_SPAN = Pattern.compile("(`+)[^`]+?\\1");
  private static final Pattern COMMENT = Pattern.compile("(?s)<!--(.*?)-->\\s*$");

  /** A block between fences; {@code comment} is the HTML comment right above it, or empty. */
  record Block(Page page, int line, String language, String comment, String text) {

    @Override
    public String toString() {
      return page + ":" + line;
    }
  }

  record Link(Page page, int line, String target) {

    @Override
    public String toString() {
      return page + ":" + line + " " + target;
    }
  }

  /** Every Markdown file. */
  static List<Page> all() {
    return files(".md").stream().map(Page::read).toList();
  }

  /** Every file of the repository whose name ends so, without what builds leave behind. */
  static List<Path> files(String... ends) {
    try (Stream<Path> found = Files.walk(ROOT)) {
      return found
          .filter(path -> Stream.of(ends).anyMatch(path.toString()::endsWith))
          .filter(
              path ->
                  !Set.of(".git", "target", "node_modules").stream()
                      .anyMatch(
                          folder ->
                              ROOT.relativize(path).startsWith(folder)
                                  || path.toString().contains("/" + folder + "/")))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Page read(Path file) {
    try {
      return new Page(file, Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All blocks of these languages, of all pages. */
  static Stream<Block> blocks(String... languages) {
    return all().stream()
        .flatMap(page -> page.blocks().stream())
        .filter(block -> List.of(languages).contains(block.language()));
  }

  List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int from = i + 1;
        String end = fence.group(1) + "```";
        do {
          i++;
        } while (i < lines.size() && !lines.get(i).equals(end));
        String text =
            lines.subList(from, i).stream()
                .map(line -> line.substring(Math.min(fence.group(1).length(), line.length())))
                .collect(Collectors.joining("\n", "", "\n"));
        blocks.add(new Block(this, from + 1, fence.group(2), commentAbove(from - 1), text));
      }
    }
    return blocks;
  }

  private String commentAbove(int line) {
    Matcher comment = COMMENT.matcher(String.join("\n", lines.subList(0, line)));
    int from = 0;
    String found = "";
    while (comment.find(from)) {
      // The shortest comment that ends here: an earlier one may have been matched with it.
      found = comment.group(1);
      from = comment.start() + 4;
    }
    return found.strip();
  }

  /**
   * Links to files of the repository, and to headings; their texts may go over the end of a line.
   */
  List<Link> links() {
    String text = CODE_SPAN.matcher(String.join("\n", prose())).replaceAll(Page::blanked);
    return LINK.matcher(text)
        .results()
        .filter(link -> !link.group(1).matches("[a-z]+:.*"))
        .map(link -> new Link(this, lineAt(text, link.start()), link.group(1)))
        .toList();
  }

  private static String blanked(MatchResult code) {
    return code.group().replaceAll("[^\n]", "-");
  }

  private static int lineAt(String text, int index) {
    return (int) text.substring(0, index).chars().filter(c -> c == '\n').count() + 1;
  }

  /** The lines, with empty ones in place of code blocks and their fences. */
  List<String> prose() {
    boolean[] code = {false};
    return lines.stream()
        .map(
            line -> {
              boolean fence = FENCE.matcher(line).matches();
              code[0] ^= fence;
              return code[0] || fence ? "" : line;
            })
        .toList();
  }

  /** The names by which GitHub links to this page's headings. */
  Set<String> anchors() {
    return prose().stream()
        .filter(line -> line.matches("#+ .*"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Override
  public String toString() {
    return ROOT.relativize(file).toString();
  }
}
