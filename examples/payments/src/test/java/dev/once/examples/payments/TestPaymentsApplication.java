package dev.once.examples.payments;

import org.springframework.boot.SpringApplication;

/** The example as it is developed: with a PostgreSQL of its own, which is gone in the end. */
public class TestPaymentsApplication {

  public static void main(String... args) {
    SpringApplication.from(PaymentsApplication::main).with(LocalPostgres.class).run(args);
  }
}
