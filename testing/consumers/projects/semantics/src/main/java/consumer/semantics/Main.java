package consumer.semantics;

import dev.once.http.semantics.HttpProfile;

final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    for (HttpProfile profile : HttpProfile.ALL) {
      System.out.println(profile.name() + " " + profile.policy());
    }
  }
}
