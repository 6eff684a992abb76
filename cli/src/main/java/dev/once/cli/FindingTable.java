package dev.once.cli;

import dev.once.core.store.Finding;
import dev.once.core.store.Finding.Level;
import java.util.ArrayList;
import java.util.List;

/** Findings as lines of three columns; what is too long for the last goes on below itself. */
final class FindingTable {

  private static final int WIDTH = 100;
  private static final int LEVEL_WIDTH = Level.WARNING.name().length();

  private FindingTable() {}

  static String of(List<Finding> findings, boolean colours) {
    int subjects = findings.stream().mapToInt(f -> f.subject().length()).max().orElse(0);
    String indent = " ".repeat(2 + LEVEL_WIDTH + 2 + subjects + 2);
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      String level = ("%-" + LEVEL_WIDTH + "s").formatted(finding.level());
      text.append("  ").append(colours ? coloured(finding.level(), level) : level).append("  ");
      text.append(("%-" + subjects + "s  ").formatted(finding.subject()));
      text.append(String.join("\n" + indent, wrapped(finding.detail(), WIDTH - indent.length())));
      text.append('\n');
    }
    return text.toString();
  }

  private static String coloured(Level level, String text) {
    int colour =
        switch (level) {
          case GOOD -> 32;
          case WARNING -> 33;
          case UNFIT -> 31;
        };
    return "\u001b[" + colour + "m" + text + "\u001b[0m";
  }

  private static List<String> wrapped(String detail, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : detail.strip().split("\\s+", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
