package dev.once.examples.payments;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people see of keys in Swagger UI, in a real Chromium. Leaves pictures under target. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class SwaggerUiTest {

  /** Far more than anything here takes; what is looked for is mostly there at once. */
  private static final double TIMEOUT_MILLIS = 300_000;

  private static Example example;
  private static Playwright playwright;
  private static Browser browser;
  private Page page;

  @BeforeAll
  static void start() {
    Optional<Path> chromium = chromium();
    assumeTrue(
        chromium.isPresent(),
        "no Chromium on the PATH, so Swagger UI was not looked at; apt-get install chromium");
    example = Example.start();
    playwright = Playwright.create();
    browser =
        playwright
            .chromium()
            .launch(
                new LaunchOptions()
                    .setExecutablePath(chromium.get())
                    .setTimeout(TIMEOUT_MILLIS)
                    .setArgs(List.of("--no-sandbox")));
    PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MILLIS);
  }

  private static Optional<Path> chromium() {
    List<String> names = List.of("chromium", "chromium-browser", "google-chrome");
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder -> names.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @AfterAll
  static void stop() {
    if (playwright != null) {
      playwright.close();
    }
    if (example != null) {
      example.close();
    }
  }

  @BeforeEach
  void open() {
    page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1200, 900));
    page.setDefaultTimeout(TIMEOUT_MILLIS);
    page.navigate(example.url() + "/swagger-ui.html");
  }

  private void authorize() {
    page.locator(".auth-wrapper .authorize").click();
    Locator dialog = page.locator(".dialog-ux");
    dialog.locator("input[type=text]").fill("alice");
    dialog.locator("input[type=password]").fill("alice");
    dialog.locator("button.authorize").click();
    dialog.locator("button.btn-done").click();
  }

  /** Opens what is told about an endpoint. */
  private Locator endpoint(String method, String path) {
    Locator block =
        page.locator(".opblock-" + method)
            .filter(new Locator.FilterOptions().setHas(page.locator("[data-path='" + path + "']")));
    block.locator(".opblock-summary-control").click();
    block.locator(".opblock-body").waitFor();
    return block;
  }

  private void keep(String picture) {
    page.screenshot(
        new ScreenshotOptions().setPath(Path.of("target", picture + ".png")).setFullPage(true));
  }

  @Test
  void the_header_its_rule_and_the_refusals_are_told_where_keys_are_taken() {
    Locator charges = endpoint("post", "/charges");
    Locator key = charges.locator("tr[data-param-name='Idempotency-Key']");
    assertThat(key).containsText("(header)");
    assertThat(key).containsText("24h");
    assertThat(key).containsText("1 to 255");
    for (String status : List.of("400", "409", "422")) {
      Locator response = charges.locator("tr.response[data-code='" + status + "']");
      assertThat(response).containsText("idempotency key");
      assertThat(response).containsText("application/problem+json");
    }
    keep("swagger-ui-charges");
  }

  @Test
  void nothing_is_told_where_none_are_taken() {
    Locator ledger = endpoint("get", "/ledger");
    assertThat(ledger.locator("tr.response[data-code='200']")).isVisible();
    assertThat(ledger.locator("tr[data-param-in='header']")).hasCount(0);
    assertThat(ledger.locator("tr.response[data-code='409']")).hasCount(0);
    assertThat(ledger.locator("tr.response[data-code='422']")).hasCount(0);
  }

  @Test
  void the_key_of_a_webhook_is_the_event_id() {
    Locator webhook = endpoint("post", "/webhooks/{provider}");
    Locator key = webhook.locator("tr[data-param-name='X-Event-Id']");
    assertThat(key.locator(".parameter__name.required")).isVisible();
    assertThat(key).containsText("72h");
    assertThat(webhook.locator("tr[data-param-name='Idempotency-Key']")).hasCount(0);
  }

  @Test
  void a_charge_that_is_tried_twice_is_replayed() {
    Books before = example.client("alice").books();
    authorize();
    Locator charges = endpoint("post", "/charges");
    charges
        .locator("tr[data-param-name='Idempotency-Key'] input")
        .fill(UUID.randomUUID().toString());
    Locator answer = charges.locator(".live-responses-table");
    charges.locator("button.execute").click();
    assertThat(answer.locator(".response-col_status").last()).containsText("201");
    assertThat(answer).not().containsText("idempotent-replayed");
    charges.locator("button.execute").click();
    assertThat(answer).containsText("idempotent-replayed: true");
    assertThat(answer.locator(".response-col_status").last()).containsText("201");
    keep("swagger-ui-replay");
    assertThat(example.client("alice").books().since(before)).containsExactly(1500L);
  }
}
