package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.Routes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ExampleFilesTest {

  private static final Path EXAMPLES = Path.of("../../examples/gateway");

  static Stream<HttpProfile> profiles() {
    return HttpProfile.ALL.stream();
  }

  private static Configuration load(String profile) {
    return Configuration.load(new Sources(Map.of(), EXAMPLES.resolve(profile + ".yaml"), Map.of()));
  }

  @ParameterizedTest
  @MethodSource("profiles")
  void every_profile_has_an_example(HttpProfile profile) {
    Configuration configuration = load(profile.name());
    assertThat(configuration.show(GatewayValue.PROFILE)).isEqualTo(profile.name());
    assertThat(configuration.settings().routes().routes()).isNotEmpty();
  }

  @Test
  void there_is_no_example_without_a_profile() throws IOException {
    List<String> names = HttpProfile.ALL.stream().map(p -> p.name() + ".yaml").toList();
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> name.endsWith(".yaml"))
          .containsExactlyInAnyOrderElementsOf(names);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "booking, POST, /offline-payments, 72",
    "booking, POST, /refunds, 72",
    "booking, POST, /payment-intents, 72",
    "booking, POST, /bookings, 24",
    "portal, POST, /api/invoices, 48",
    "portal, PUT, /api/payments/7, 48",
    "portal, POST, /api/notifications, 12",
    "portal, POST, /api/customers, 24",
    "strict, DELETE, /payments/7, 72",
    "strict, POST, /orders, 24",
    "srs016, POST, /payments, 168",
    "ietf, POST, /payments, 72",
    "stripe, POST, /v1/charges, 24",
  })
  void answers_are_kept_for(String profile, String method, String path, int hours) {
    Routes routes = load(profile).settings().routes();
    HttpPolicy policy = routes.policyFor(method, path);
    assertThat(policy.policy().retention()).isEqualTo(Duration.ofHours(hours));
  }
}
