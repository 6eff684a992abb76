package dev.once.http.gateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places where values are given, the strongest first.
 *
 * @param flags by label, without dashes; several texts where a flag was given several times
 * @param file null for none
 */
public record Sources(
    Map<String, List<String>> flags, @Nullable Path file, Map<String, String> environment) {

  /** Names the file, where no flag does. */
  static final String FILE_VARIABLE = "ONCE_CONFIG";

  public Sources {
    flags = Map.copyOf(flags);
    environment = Map.copyOf(environment);
    String named = environment.get(FILE_VARIABLE);
    if (file == null && named != null && !named.isBlank()) {
      file = Path.of(named);
    }
  }
}
