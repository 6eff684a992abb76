package consumer.conformance;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.Target;

final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    Target target = Target.at("http://localhost:1/payments").build();
    System.out.println(target.url() + ": " + Conformance.rules().size() + " rules");
  }
}
