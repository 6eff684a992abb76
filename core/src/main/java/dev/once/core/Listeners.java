package dev.once.core;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several listeners as one, which never throws. */
record Listeners(List<OnceListener> all) implements OnceListener {

  private static final Logger log = LoggerFactory.getLogger(OnceListener.class);

  private void each(Consumer<OnceListener> call) {
    for (OnceListener listener : all) {
      try {
        call.accept(listener);
      } catch (Throwable e) { // Kotlin throws checked ones too
        log.error("a listener failed: {}", listener.getClass().getName(), e);
      }
    }
  }

  @Override
  public void requestRefused(Origin origin, Refusal refusal) {
    each(listener -> listener.requestRefused(origin, refusal));
  }

  @Override
  public void decided(Operation operation, Begun begun) {
    each(listener -> listener.decided(operation, begun));
  }

  @Override
  public void begun(Execution execution) {
    each(listener -> listener.begun(execution));
  }

  @Override
  public void replayed(Operation operation, Answer answer) {
    each(listener -> listener.replayed(operation, answer));
  }

  @Override
  public void refused(Operation operation, Refusal refusal) {
    each(listener -> listener.refused(operation, refusal));
  }

  @Override
  public void ended(Execution execution, Result result) {
    each(listener -> listener.ended(execution, result));
  }

  @Override
  public void released(Execution execution) {
    each(listener -> listener.released(execution));
  }

  @Override
  public void abandoned(Execution execution) {
    each(listener -> listener.abandoned(execution));
  }

  @Override
  public void renewed(Execution execution) {
    each(listener -> listener.renewed(execution));
  }

  @Override
  public void lost(Execution execution) {
    each(listener -> listener.lost(execution));
  }

  @Override
  public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
    each(listener -> listener.storeCalled(step, time, failure));
  }

  @Override
  public void fellBack() {
    each(OnceListener::fellBack);
  }

  @Override
  public void purged(int records) {
    each(listener -> listener.purged(records));
  }
}
