package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.MemoryStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Handlers, codecs and executors that do what they should not: an execution still ends once. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CallsThatGoWrongTest {

  private final MemoryStore store = new MemoryStore();
  private final List<String> told = new ArrayList<>();
  private final Once once = once(Runnable::run);

  private Once once(Executor executor) {
    return Once.builder(store)
        .executor(executor)
        .listener(
            new OnceListener() {
              @Override
              public void begun(Execution execution) {
                told.add("begun");
              }

              @Override
              public void released(Execution execution) {
                told.add("released");
              }
            })
        .build();
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, key, "pay");
  }

  @AfterEach
  void close() {
    once.close();
    store.close();
  }

  @Test
  void a_listener_that_overrides_told_is_told() throws Exception {
    List<Begun> heard = new ArrayList<>();
    OnceListener listener =
        new OnceListener() {
          @Override
          public void decided(Operation operation, Begun begun) {
            heard.add(begun);
          }
        };
    try (Once heeded = Once.builder(store).listener(listener).build()) {
      heeded.run(pay("key"), execution -> Answer.success(200, Body.EMPTY));
    }
    assertThat(heard).hasSize(1);
  }

  @Test
  void an_executor_that_cannot_make_a_thread_leaves_the_key_free() {
    Executor full =
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    try (Once unlucky = once(full)) {
      assertThatThrownBy(
              () ->
                  unlucky
                      .callAsync(
                          pay("key"), Codec.text(), any -> CompletableFuture.completedStage("paid"))
                      .toCompletableFuture()
                      .get())
          .isInstanceOf(ExecutionException.class);
    }
    assertThat(told).containsExactly("begun", "released");
  }

  @Test
  void what_a_handler_throws_reaches_the_caller_also_if_it_has_ended_its_execution() {
    assertThatThrownBy(
            () ->
                once.call(
                    pay("key"),
                    Codec.text(),
                    execution -> {
                      execution.release();
                      throw new IOException("no bank");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void a_codec_that_fails_by_an_error_has_run_all_the_same() {
    Codec<String> deep =
        new Codec<>() {
          @Override
          public byte[] encode(String value) {
            throw new StackOverflowError();
          }

          @Override
          public String decode(byte[] bytes) {
            return "";
          }
        };
    assertThatThrownBy(() -> once.call(pay("key"), deep, () -> "paid"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.unrecordedValue()).isEqualTo("paid"));
  }

  /** The interface allows that. The charge goes on. */
  @Test
  @SuppressWarnings("unchecked")
  void a_stage_that_is_no_future_is_waited_for_and_not_recorded_as_a_failure() throws Exception {
    CompletableFuture<Answer> charge = new CompletableFuture<>();
    CompletionStage<Answer> stage =
        (CompletionStage<Answer>)
            Proxy.newProxyInstance(
                CompletionStage.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("toCompletableFuture")) {
                    throw new UnsupportedOperationException();
                  }
                  return method.invoke(charge, arguments);
                });
    CompletableFuture<Result> result =
        once.runAsync(pay("key"), execution -> stage).toCompletableFuture();
    charge.complete(Answer.success(200, Body.of("paid")));
    assertThat(result.get().orElseThrow().outcome()).isEqualTo(Outcome.SUCCESS);
  }
}
