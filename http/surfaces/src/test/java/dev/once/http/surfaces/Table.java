package dev.once.http.surfaces;

import dev.once.http.surfaces.Situations.Group;
import dev.once.http.surfaces.Surface.Kind;

/** The {@link Situations} as they stand in {@code docs/surfaces.md}. */
final class Table {

  private static final String HEAD =
      """
      | situation | the client sees | the store holds | a retry gets | after the lease | runs |
      |---|---|---|---|---|---|
      """;

  private final StringBuilder text = new StringBuilder();

  private Table() {}

  static String markdown() {
    Table table = new Table();
    for (Group group : Situations.GROUPS) {
      table.text.append("## ").append(group.title()).append("\n").append(HEAD);
      group.situations().forEach(table::rows);
      table.text.append("\n");
    }
    return table.text.toString().stripTrailing() + "\n";
  }

  private void rows(Situation situation) {
    row(situation.title, situation.expected());
    situation
        .reasons()
        .forEach(
            (kind, why) -> {
              Outcome own = situation.differences().get(kind);
              if (own == null) {
                text.append("| … not at %s: %s | | | | | |\n".formatted(place(kind), why));
              } else {
                row("… at %s: %s".formatted(place(kind), why), own);
              }
            });
  }

  private static String place(Kind kind) {
    return kind == Kind.GATEWAY ? "the gateway" : kind.title;
  }

  private void row(String title, Outcome outcome) {
    text.append("| ").append(title).append(" | ").append(cells(outcome)).append(" |\n");
  }

  private static String cells(Outcome outcome) {
    return String.join(
        " | ",
        outcome.client(),
        outcome.holds(),
        outcome.retry(),
        outcome.afterLease(),
        String.valueOf(outcome.runs()));
  }
}
