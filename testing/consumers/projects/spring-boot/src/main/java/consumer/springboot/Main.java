package consumer.springboot;

import dev.once.spring.Idempotent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Starts, sends itself a payment twice with one key, says what came back, and stops. */
@SpringBootApplication
@RestController
public class Main {

  private int charges;

  @PostMapping("/payments")
  @Idempotent(required = true)
  String pay(@RequestBody String amount) {
    return "paid " + amount + ", charge " + ++charges;
  }

  public static void main(String[] arguments) throws Exception {
    try (ConfigurableApplicationContext application =
        SpringApplication.run(Main.class, arguments)) {
      String port = application.getEnvironment().getProperty("local.server.port");
      System.out.println(post(port));
      System.out.println(post(port));
    }
  }

  private static String post(String port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/payments"))
            .header("Authorization", "Bearer alice")
            .header("Content-Type", "text/plain")
            .header("Idempotency-Key", "key-1")
            .POST(HttpRequest.BodyPublishers.ofString("10 EUR"))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
