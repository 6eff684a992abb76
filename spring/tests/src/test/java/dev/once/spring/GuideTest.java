package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.spring.Client.Reply;
import dev.once.spring.mvc.TenantResolver;
import dev.once.testing.servers.PostgresServer;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The snippets of {@code docs/spring.md} work as they are there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class GuideTest {

  private static final Path GUIDE = Path.of("../../docs/spring.md");
  private static final Path README = Path.of("../../README.md");
  private static final Path SOURCE =
      Path.of("../tests/src/test/java/dev/once/spring/GuideTest.java");

  private static ConfigurableApplicationContext context;
  private static Client client;

  record Payment(String card, int amount) {}

  record Receipt(String id, int amount) {}

  record OrderPlaced(String id, int amount) {}

  // guide: handler
  @RestController
  static class Payments {
    @Autowired Ledger ledger;

    @PostMapping("/payments")
    @Idempotent(required = true, retention = "72h") // a retry gets the same answer, for three days
    Receipt pay(@RequestBody Payment payment) {
      return ledger.charge(payment);
    }
  }

  // end

  // guide: method
  @Component
  static class Orders {
    private final Ledger ledger;

    Orders(Ledger ledger) {
      this.ledger = ledger;
    }

    @Idempotent(key = "#event.id")
    public Receipt on(OrderPlaced event) { // a listener, a scheduled job, any bean
      return ledger.charge(new Payment("on file", event.amount()));
    }
  }

  // end

  // guide: transaction
  @Component
  static class Ledger {
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(key = "#event.id", sameTransaction = true)
    public Receipt book(OrderPlaced event) {
      return charge(new Payment("on file", event.amount()));
    }

    @Transactional
    public Receipt charge(Payment payment) {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into payment values (?, ?)", id, payment.amount());
      return new Receipt(id, payment.amount());
    }
  }

  // end

  @RestController
  static class Fenced {
    // guide: fence
    @PostMapping("/transfers")
    String transfer(@RequestBody Payment payment, Execution execution) {
      Fence fence = execution.fence().orElseThrow(); // pass it on: who remembers it can refuse
      return "fence " + fence + ", attempt " + execution.attempt();
    }
    // end
  }

  @Configuration
  static class Tenants {
    // guide: tenant
    @Bean
    TenantResolver tenants() {
      return (HttpServletRequest request) -> request.getServerName().split("\\.", 2)[0];
    }
    // end
  }

  @BeforeAll
  static void start() throws SQLException, IOException {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table payment (id text primary key, amount int not null)");
    }
    Application application =
        Application.of(Payments.class, Orders.class, Ledger.class, Fenced.class, Tenants.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url));
    yaml().forEach(application::with);
    context = application.start();
    client = new Client(context);
  }

  /** The guide's configuration. */
  private static Map<String, Object> yaml() throws IOException {
    String guide = Files.readString(GUIDE);
    int from = guide.indexOf("```yaml\n") + "```yaml\n".length();
    YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
    yaml.setResources(
        new ByteArrayResource(
            guide
                .substring(from, guide.indexOf("```", from))
                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    Map<String, Object> values = new java.util.TreeMap<>();
    yaml.getObject().forEach((name, value) -> values.put((String) name, value));
    assertThat(values).containsKeys("once.profile", "once.routes[0].match");
    return values;
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static int payments() {
    return context
        .getBean(JdbcTemplate.class)
        .queryForObject("select count(*) from payment", Integer.class);
  }

  @Test
  void the_guide_has_the_snippets_of_this_test() throws IOException {
    String guide = Files.readString(GUIDE);
    List<String> snippets = snippets();
    assertThat(snippets).hasSize(5);
    assertThat(snippets).allSatisfy(snippet -> assertThat(guide).contains(snippet));
    assertThat(Files.readString(README)).contains(snippets.get(0));
  }

  private static List<String> snippets() throws IOException {
    List<String> snippets = new ArrayList<>();
    StringBuilder snippet = null;
    for (String line : Files.readAllLines(SOURCE)) {
      if (line.strip().startsWith("// guide: ")) {
        snippet = new StringBuilder();
      } else if (snippet != null && line.strip().equals("// end")) {
        snippets.add(
            snippet
                .toString()
                .stripTrailing()
                .stripIndent()
                .replace("static class", "class")
                .strip());
        snippet = null;
      } else if (snippet != null) {
        snippet.append(line).append('\n');
      }
    }
    return snippets;
  }

  @Test
  void a_payment_that_is_sent_twice_is_made_once() {
    int payments = payments();
    String payment = "{\"card\":\"4242\",\"amount\":10}";
    Reply missing = client.send("POST", "/payments", payment);
    String key = UUID.randomUUID().toString();
    Reply first = client.post("/payments", key, payment);
    Reply second = client.post("/payments", key, payment);
    assertThat(missing.status()).isEqualTo(400);
    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.isReplay()).isTrue();
    assertThat(payments()).isEqualTo(payments + 1);
  }

  @Test
  void an_event_that_comes_twice_is_handled_once() {
    int payments = payments();
    OrderPlaced event = new OrderPlaced(UUID.randomUUID().toString(), 10);
    Orders orders = context.getBean(Orders.class);
    Ledger ledger = context.getBean(Ledger.class);
    assertThat(orders.on(event)).isEqualTo(orders.on(event));
    assertThat(ledger.book(event)).isEqualTo(ledger.book(event));
    assertThat(payments()).isEqualTo(payments + 2);
  }

  @Test
  void a_handler_knows_its_fence() {
    Reply reply = client.post("/transfers", UUID.randomUUID().toString(), "{\"amount\":1}");
    assertThat(reply.body()).matches("fence \\d+, attempt 1");
  }
}
