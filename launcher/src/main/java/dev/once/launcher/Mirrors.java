package dev.once.launcher;

import java.util.List;
import java.util.Optional;
import org.w3c.dom.Element;

/** Which mirror is Maven Central's, by Maven's rules. */
final class Mirrors {

  private static final String CENTRAL = "central";

  private Mirrors() {}

  /** The one that names it alone, or else the first that means it among others. */
  static Optional<Element> ofCentral(List<Element> mirrors) throws CannotException {
    Optional<Element> mirror =
        mirrors.stream()
            .filter(entry -> of(entry).equals(CENTRAL))
            .findFirst()
            .or(() -> mirrors.stream().filter(entry -> means(of(entry))).findFirst());
    if (mirror.flatMap(entry -> Xml.text(entry, "blocked")).orElse("").equals("true")) {
      throw new CannotException("Maven's settings block Maven Central");
    }
    return mirror;
  }

  private static String of(Element mirror) {
    return Xml.text(mirror, "mirrorOf").orElse("");
  }

  /** Such as {@code *,!central}: what is left out is left out, wherever it stands. */
  private static boolean means(String names) {
    List<String> words = List.of(names.replace(" ", "").split(",", -1));
    return !words.contains("!" + CENTRAL)
        && (words.contains(CENTRAL) || words.contains("*") || words.contains("external:*"));
  }
}
