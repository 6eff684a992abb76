package dev.once.testing.servers;

import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The one server of a kind in this JVM: one that a variable names, or else one of our own. */
final class SharedServer<S> {

  private final String variable;
  private final Function<DatabaseUrl, S> given;
  private final Supplier<S> own;
  private @Nullable S server;

  SharedServer(String variable, Function<DatabaseUrl, S> given, Supplier<S> own) {
    this.variable = variable;
    this.given = given;
    this.own = own;
  }

  synchronized S get() {
    S shared = server;
    if (shared == null) {
      String url = System.getenv(variable);
      shared = url == null || url.isEmpty() ? own.get() : given.apply(DatabaseUrl.of(url));
      server = shared;
    }
    return shared;
  }
}
