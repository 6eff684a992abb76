package dev.once.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class QuickstartTest {

  @Test
  @DisplayName("the quickstart shows what the README says")
  void shows() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream console = System.out;
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      Quickstart.main(new String[0]);
    } finally {
      System.setOut(console);
    }
    String text = output.toString(StandardCharsets.UTF_8);
    assertThat(text).contains("The card was charged 5 times.");
    String withOnce = text.substring(text.indexOf("With Once"));
    assertThat(withOnce).containsOnlyOnce("(the card is charged with 10 EUR)");
    assertThat(withOnce.split("    payment 1: 10 EUR", -1)).hasSize(1 + 6);
    assertThat(withOnce).contains("refused: The key was used before, for another request.");
    assertThat(text).endsWith("The card was charged 1 time.\n");
  }
}
