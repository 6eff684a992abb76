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

  private record Registration(
      AsyncListener listener,
      @Nullable ServletRequest request,
      @Nullable ServletResponse response) {}

  private interface Notification {
    void send(AsyncListener listener, AsyncEvent event) throws IOException;
  }

  private final ServletExchange exchange;
  private final AsyncContext real;

  // What the container's context would return; after a timeout it throws.
  private final ServletRequest request;
  private final ServletResponse response;

  /** The context before this one, of the same request; nobody needs those before that. */
  private volatile @Nullable WatchedAsync previous;

  private final List<Registration> listeners = new CopyOnWriteArrayList<>();

  /** Listeners of the next context too; null before the request starts that one. */
  private volatile @Nullable List<Registration> nextListeners;

  /** Whether the application has completed or dispatched: it may do so once. */
  private final AtomicBoolean decided = new AtomicBoolean();

  /** Whether that was by a dispatch. */
  private volatile boolean dispatched;

  /** Whether a listener asked for that dispatch, when it was called for a timeout or an error. */
  private volatile boolean dispatchedByListener;

  /** Whether the container has reported an error: as a rule, that the client is lost. */
  private volatile boolean errorReported;

  /** The thread that calls listeners for a timeout or an error, while it does. */
  private volatile @Nullable Thread notifyingThread;

  /**
   * @param previous of the same request; null if this is the first
   */
  WatchedAsync(
      ServletExchange exchange,
      AsyncContext real,
      ServletRequest request,
      ServletResponse response,
      @Nullable WatchedAsync previous) {
    this.exchange = exchange;
    this.real = real;
    this.request = request;
    this.response = response;
    this.previous = previous;
    List<Registration> carriedOver = previous == null ? null : previous.nextListeners;
    if (carriedOver != null) {
      listeners.addAll(carriedOver);
    }
    if (previous != null) {
      previous.previous = null;
    }
  }

  AsyncContext real() {
    return real;
  }

  // What the application does.

  @Override
  public void complete() {
    if (decided.compareAndSet(false, true)) {
      exchange.complete(real, isNotifying());
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
    dispatchedByListener = isNotifying();
    exchange.held().setInOuterFilters(true);
    try {
      dispatch.run();
    } catch (RuntimeException e) {
      dispatched = false;
      dispatchedByListener = false;
      decided.set(false);
      exchange.notDispatched(e);
      throw e;
    }
  }

  /**
   * Whether a dispatch may be about a timeout or an error, and not about the handler's result.
   * After an error the handler's own thread may be the one that asks for it: it cannot write any
   * more.
   */
  boolean mayBeDispatchedByListener() {
    return dispatchedByListener || errorReported;
  }

  private boolean isNotifying() {
    return Thread.currentThread() == notifyingThread;
  }

  @Override
  public void start(Runnable run) {
    real.start(
        () -> {
          try {
            run.run();
          } catch (Throwable e) {
            log.error(
                "{}: a task that it passed to AsyncContext.start failed", exchange.describe(), e);
            if (!decided.get()) {
              exchange.markStuck(e);
            }
            throw e;
          }
        });
  }

  @Override
  public void addListener(AsyncListener listener) {
    add(new Registration(listener, null, null));
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    add(new Registration(listener, request, response));
  }

  /** A context that is over may be asked while the next one starts, or after that. */
  private void add(Registration registration) {
    List<Registration> next = nextListeners;
    WatchedAsync latest = exchange.async();
    if (latest != null && latest != this && latest.previous == this) {
      latest.listeners.add(registration);
    } else {
      (next == null ? listeners : next).add(registration);
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
    notifyOfErrorOrTimeout(event, AsyncListener::onTimeout);
    if (!dispatched) {
      exchange.timedOut(real);
    }
  }

  @Override
  public void onError(AsyncEvent event) {
    errorReported = true;
    notifyOfErrorOrTimeout(event, AsyncListener::onError);
    if (!decided.get()) {
      exchange.clientLost();
    }
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    nextListeners = new CopyOnWriteArrayList<>();
    notifyListeners(event, AsyncListener::onStartAsync);
  }

  @Override
  public void onComplete(AsyncEvent event) {
    notifyListeners(event, AsyncListener::onComplete);
    exchange.containerCompleted(this, dispatched);
  }

  /** A listener that completes or dispatches does so on this thread; the handler is on another. */
  private void notifyOfErrorOrTimeout(AsyncEvent event, Notification notification) {
    this.notifyingThread = Thread.currentThread();
    exchange.listenersBegin();
    try {
      notifyListeners(event, notification);
    } finally {
      this.notifyingThread = null;
      exchange.listenersEnd();
    }
  }

  private void notifyListeners(AsyncEvent event, Notification notification) {
    for (Registration registration : listeners) {
      try {
        notification.send(
            registration.listener(),
            new AsyncEvent(
                this, registration.request(), registration.response(), event.getThrowable()));
      } catch (Throwable e) { // an Error too must not keep the others from being called
        log.warn("{}: an AsyncListener of the request failed", exchange.describe(), e);
      }
    }
  }
}
