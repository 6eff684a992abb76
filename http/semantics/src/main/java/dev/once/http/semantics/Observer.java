package dev.once.http.semantics;

import dev.once.core.Begun;
import dev.once.core.Refusal;
import dev.once.core.Result;
import java.util.List;

/** Is told what becomes of requests, for logs and metrics. Called on any thread; never blocks. */
public interface Observer {

  /** A request was refused for its key, or the lack of one. */
  void turnedAway(RequestHead head, Refusal refusal);

  /** The engine said what to do. */
  void begun(ProtectedRequest request, Begun begun);

  /** A request runs that something other than the engine has claimed, such as a transaction. */
  default void begunWithoutEngine(ProtectedRequest request) {}

  /** An execution ended: the result says what the client gets. */
  void ended(ProtectedRequest request, Result result);

  /** An execution ended without an answer: released, or left to the crash policy. */
  void unanswered(ProtectedRequest request, boolean released);

  /** All of these, in this order. */
  static Observer all(List<Observer> observers) {
    return new Observer() {
      @Override
      public void turnedAway(RequestHead head, Refusal refusal) {
        observers.forEach(observer -> observer.turnedAway(head, refusal));
      }

      @Override
      public void begun(ProtectedRequest request, Begun begun) {
        observers.forEach(observer -> observer.begun(request, begun));
      }

      @Override
      public void begunWithoutEngine(ProtectedRequest request) {
        observers.forEach(observer -> observer.begunWithoutEngine(request));
      }

      @Override
      public void ended(ProtectedRequest request, Result result) {
        observers.forEach(observer -> observer.ended(request, result));
      }

      @Override
      public void unanswered(ProtectedRequest request, boolean released) {
        observers.forEach(observer -> observer.unanswered(request, released));
      }
    };
  }
}
