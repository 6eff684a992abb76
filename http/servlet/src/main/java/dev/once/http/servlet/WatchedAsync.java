package dev.once.http.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An asynchronous context whose end is the end of an {@link ServletExchange}. It is the only
 * listener that the container knows, and passes events on: so it is the last to see a timeout, and
 * knows whether the application did something about it.
 */
final class WatchedAsync implements AsyncContext, AsyncListener {

  private static final Logger log = LoggerFactory.getLogger(OnceFilter.class);

  private record Listening(
      AsyncListener listener,
      @Nullable ServletRequest request,
      @Nullable ServletResponse response) {}

  private interface Telling {
    void tell(AsyncListener listener, AsyncEvent event) throws IOException;
  }

  private final ServletExchange exchange;
  private final AsyncContext real;

  // What the container's context would tell; after a timeout it tells nothing any more.
  private final ServletRequest request;
  private final ServletResponse response;

  /** The one before, of the same request; nobody needs those before that. */
  private volatile @Nullable WatchedAsync earlier;

  private final List<Listening> listeners = new CopyOnWriteArrayList<>();

  /** Those who want to hear of the next one too; null before the request starts that. */
  private volatile @Nullable List<Listening> next;

  /** Whether the application has said how to go on: it may do so once. */
  private final AtomicBoolean decided = new AtomicBoolean();

  /** Whether that was by a dispatch. */
  private volatile boolean dispatched;

  /** Whether that dispatch was a listener's, who was told of a timeout or an error. */
  private volatile boolean byListener;

  /** Whether the container has told of an error: the client is lost, as a rule. */
  private volatile boolean failed;

  /** The thread that tells listeners of a timeout or an error, while it does. */
  private volatile @Nullable Thread telling;

  /**
   * @param earlier of the same request; null if this is the first
   */
  WatchedAsync(
      ServletExchange exchange,
      AsyncContext real,
      ServletRequest request,
      ServletResponse response,
      @Nullable WatchedAsync earlier) {
    this.exchange = exchange;
    this.real = real;
    this.request = request;
    this.response = response;
    this.earlier = earlier;
    List<Listening> again = earlier == null ? null : earlier.next;
    if (again != null) {
      listeners.addAll(again);
    }
    if (earlier != null) {
      earlier.earlier = null;
    }
  }

  AsyncContext real() {
    return real;
  }

  // What the application does.

  @Override
  public void complete() {
    if (decided.compareAndSet(false, true)) {
      exchange.complete(real, isTelling());
    } else if (dispatched) {
      throw new IllegalStateException("complete: after a dispatch (expected: one of them)");
    }
  }

  @Override
  public void dispatch() {
    dispatch(real::dispatch);
  }

  @Override
  public void dispatch(String path) {
    dispatch(() -> real.dispatch(path));
  }

  @Override
  public void dispatch(ServletContext context, String path) {
    dispatch(() -> real.dispatch(context, path));
  }

  /** The container does not know yet of an answer that is being recorded. */
  private void dispatch(Runnable dispatch) {
    if (!decided.compareAndSet(false, true)) {
      throw new IllegalStateException("dispatch: after the end (expected: one of them)");
    }
    dispatched = true;
    byListener = isTelling();
    exchange.held().outside(true);
    try {
      dispatch.run();
    } catch (RuntimeException e) {
      dispatched = false;
      byListener = false;
      decided.set(false);
      exchange.notDispatched(e);
      throw e;
    }
  }

  /**
   * Whether a dispatch may be about a timeout or an error, and not about what the handler came to.
   * After an error the handler's own thread may be the one that asks for it: it cannot write any
   * more.
   */
  boolean isDispatchedByListener() {
    return byListener || failed;
  }

  private boolean isTelling() {
    return Thread.currentThread() == telling;
  }

  @Override
  public void start(Runnable run) {
    real.start(
        () -> {
          try {
            run.run();
          } catch (Throwable e) {
            log.error("{}: what it was to run asynchronously threw", exchange.describe(), e);
            if (!decided.get()) {
              exchange.isStuck(e);
            }
            throw e;
          }
        });
  }

  @Override
  public void addListener(AsyncListener listener) {
    add(new Listening(listener, null, null));
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    add(new Listening(listener, request, response));
  }

  /** A context that is over may be asked while the next one starts, or after that. */
  private void add(Listening listening) {
    List<Listening> again = next;
    WatchedAsync now = exchange.async();
    if (now != null && now != this && now.earlier == this) {
      now.listeners.add(listening);
    } else {
      (again == null ? listeners : again).add(listening);
    }
  }

  @Override
  public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
    return real.createListener(type);
  }

  @Override
  public ServletRequest getRequest() {
    return request;
  }

  @Override
  public ServletResponse getResponse() {
    return response;
  }

  @Override
  public boolean hasOriginalRequestAndResponse() {
    return real.hasOriginalRequestAndResponse();
  }

  @Override
  public void setTimeout(long milliseconds) {
    real.setTimeout(milliseconds);
  }

  @Override
  public long getTimeout() {
    return real.getTimeout();
  }

  // What the container says.

  @Override
  public void onTimeout(AsyncEvent event) {
    tellOfErrorOrTimeout(event, AsyncListener::onTimeout);
    if (!dispatched) {
      exchange.timedOut(real);
    }
  }

  @Override
  public void onError(AsyncEvent event) {
    failed = true;
    tellOfErrorOrTimeout(event, AsyncListener::onError);
    if (!decided.get()) {
      exchange.clientLost();
    }
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    next = new CopyOnWriteArrayList<>();
    tell(event, AsyncListener::onStartAsync);
  }

  @Override
  public void onComplete(AsyncEvent event) {
    tell(event, AsyncListener::onComplete);
    exchange.containerCompleted(this, dispatched);
  }

  /** A listener that says how to go on does so on this thread; the handler is on another one. */
  private void tellOfErrorOrTimeout(AsyncEvent event, Telling telling) {
    this.telling = Thread.currentThread();
    exchange.errorOrTimeout();
    try {
      tell(event, telling);
    } finally {
      this.telling = null;
      exchange.listenersTold();
    }
  }

  private void tell(AsyncEvent event, Telling telling) {
    for (Listening one : listeners) {
      try {
        telling.tell(
            one.listener(),
            new AsyncEvent(this, one.request(), one.response(), event.getThrowable()));
      } catch (Throwable e) { // an Error too must not keep the others from hearing
        log.warn("{}: a listener of it failed", exchange.describe(), e);
      }
    }
  }
}
