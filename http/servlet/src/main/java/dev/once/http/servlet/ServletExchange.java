package dev.once.http.servlet;

import static java.util.concurrent.CompletableFuture.completedStage;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Header;
import dev.once.core.Once;
import dev.once.core.Outcome;
import dev.once.core.Thrown;
import dev.once.core.spi.Delivery;
import dev.once.core.spi.Exchange;
import dev.once.core.store.WaitInterruptedException;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.Reply;
import dev.once.http.servlet.HeldResponse.Failure;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that runs under its key, until its answer is sent:
 *
 * <ol>
 *   <li>Run the rest of the chain with a request whose body can be read, and a response that is
 *       held back.
 *   <li>The chain returns, and nothing is asynchronous: the answer is complete.
 *   <li>It went asynchronous: the answer is complete when the application says so, or when a
 *       dispatch returns that did not go asynchronous again.
 *   <li>{@code sendError}, or an exception: the answer is that of the application's error page, if
 *       the filter was told that there is one; or else an explanation of our own.
 *   <li>Record the answer, and only then send it. If it cannot be recorded, send the refusal.
 *   <li>The asynchronous request timed out, or its client is lost: the handler may still run, so
 *       the execution stays open. When it completes, that is recorded, and a retry gets it.
 *   <li>A listener of the application answers that in the place of the handler, as Spring's does:
 *       its client gets what it says. If that is a failure, nobody knows what the handler does, and
 *       nobody will see what it ends with: that is a handler that broke off.
 * </ol>
 */
final class ServletExchange {

  private static final Logger log = LoggerFactory.getLogger(OnceFilter.class);
  private static final int SERVER_ERROR = HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
  private static final String ATTRIBUTE = ServletExchange.class.getName();

  /** Makes the container cut off an answer that cannot be taken back. */
  static final class AbortedException extends IOException {
    private static final long serialVersionUID = 1;

    AbortedException() {
      super("answer: partly sent, and not recorded (expected: recorded); cut off");
    }
  }

  private final ProtectedRequest request;
  private final Once once;

  /** What is recorded, what the client may have, and that it ends once. */
  private final Exchange life;

  /** How long the container may take to begin with its error page; null if there is none. */
  private final @Nullable Duration errorPageTimeout;

  /** How long a client may read nothing of its answer after the time of its request is over. */
  private final Duration readTimeout;

  private final RequestBody body;

  /** What the chain has of the request; null before it runs. */
  private volatile @Nullable BufferedRequest kept;

  private volatile HeldResponse held;

  /** What the chain has of it. Filters outside have that too, in an ASYNC dispatch. */
  private volatile HttpServletResponseWrapper shown;

  private volatile @Nullable WatchedAsync async;

  /** Whether the application answers later; a dispatch back into the filter ends that. */
  private volatile boolean later;

  private volatile boolean aborted;

  /** Made while the request is ours to ask; null before. */
  private volatile @Nullable String description;

  private volatile boolean notNow;

  /** What the handler threw, if something within the chain answers that. */
  private volatile @Nullable Throwable thrown;

  /** Whether its answer had begun by then: what is said after that says nothing of its status. */
  private volatile boolean thrownLate;

  /** Whether a listener, told of a timeout or an error, answers in the place of the handler. */
  private volatile boolean inPlace;

  /** Whoever sets it answers an asynchronous request: what was recorded, or the timeout. */
  private final AtomicBoolean answering = new AtomicBoolean();

  /** When an asynchronous request has its answer. */
  private final CompletableFuture<Void> answered = new CompletableFuture<>();

  /**
   * Why nobody will end it after a timeout: the container took no dispatch, or what it was to run
   * threw. Null if somebody may.
   */
  private volatile @Nullable Throwable stuck;

  /** While the container's error page is waited for. */
  private volatile @Nullable CompletableFuture<Void> errorPage;

  ServletExchange(
      ProtectedRequest request,
      Execution execution,
      Once once,
      @Nullable Duration errorPageTimeout,
      Duration readTimeout,
      RequestBody body,
      HttpServletRequest in,
      HttpServletResponse out) {
    this.request = request;
    this.once = once;
    this.life = new Exchange(execution, () -> held().isSent());
    this.errorPageTimeout = errorPageTimeout;
    this.readTimeout = readTimeout;
    this.body = body;
    this.held = hold(in, out, null);
    this.shown = new HttpServletResponseWrapper(held);
  }

  /**
   * The exchange that a request is part of; null if it is not under a key. What the chain was given
   * knows its own, whatever the container does with the request inside of it.
   */
  static @Nullable ServletExchange of(ServletRequest request) {
    BufferedRequest kept = BufferedRequest.in(request);
    return kept == null ? (ServletExchange) request.getAttribute(ATTRIBUTE) : kept.exchange();
  }

  Execution execution() {
    return life.execution();
  }

  HeldResponse held() {
    return held;
  }

  HttpServletResponse shown() {
    return shown;
  }

  void notNow() {
    notNow = true;
  }

  void thrown(Throwable thrown) {
    thrownLate = held.isCommitted();
    this.thrown = thrown;
  }

  private HeldResponse hold(
      HttpServletRequest in, HttpServletResponse out, @Nullable HeldResponse earlier) {
    int limit = request.policy().policy().maxStoredBody();
    return new HeldResponse(in, out, limit, earlier, this::callLater);
  }

  // Dispatches.

  void start(HttpServletRequest in, FilterChain chain) throws IOException, ServletException {
    BufferedRequest shownRequest;
    try {
      in.setAttribute(ATTRIBUTE, this);
      shownRequest = keep(in);
    } catch (Throwable e) { // wrappers and listeners of others can make it fail: nothing has run
      await(life::notRun);
      throw e;
    }
    dispatch(shownRequest, shown, chain);
  }

  private BufferedRequest keep(HttpServletRequest in) {
    BufferedRequest shownRequest = new BufferedRequest(in, body, this);
    kept = shownRequest;
    return shownRequest;
  }

  /** What the log calls its request. */
  String describe() {
    String made = description;
    return made == null ? request.describe() : made;
  }

  /** Afterwards the container may give the request to somebody else. */
  private void describeNow() {
    if (description == null) {
      description = request.describe();
    }
  }

  /** From now on request and response are the container's; the handler may still end. */
  private void detach() {
    detachRequest();
    held.detach();
  }

  private synchronized void detachRequest() {
    describeNow();
    BufferedRequest shownRequest = kept;
    if (shownRequest != null) {
      try {
        shownRequest.detach();
      } catch (RuntimeException e) { // of a wrapper outside: the client is answered all the same
        log.error("{}: not copied for a handler that goes on", describe(), e);
      }
    }
  }

  /** The container comes back with the same request. */
  void again(HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    if (aborted) {
      throw new AbortedException();
    }
    DispatcherType type = in.getDispatcherType();
    CompletableFuture<Void> page = errorPage;
    if (type == DispatcherType.ASYNC && later) {
      later = false;
      if (life.isOver()) {
        return; // it was answered after the dispatch was asked for
      }
      held.noteOutside();
      held.outside(false);
      WatchedAsync ended = async;
      inPlace |= ended != null && ended.isDispatchedByListener();
      dispatch(in, out, chain);
    } else if (type == DispatcherType.ERROR && page != null && page.complete(null)) {
      later = false;
      held = hold(in, HeldResponse.unwrap(out), held);
      shown = new HttpServletResponseWrapper(held);
      dispatch(BufferedRequest.in(in) == null ? keep(in) : in, shown, chain);
    } else {
      chain.doFilter(in, out);
    }
  }

  private void dispatch(HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    DispatcherType type = in.getDispatcherType();
    boolean asyncOutside = in.isAsyncStarted();
    held.inChain(true);
    try {
      chain.doFilter(in, out);
    } catch (Throwable e) { // checked ones that nobody declares, too: Kotlin has no others
      leftChain(type);
      if (!later && hasErrorPage(type) && !life.isUnknown(e)) {
        leaveToErrorPage(new Failure(SERVER_ERROR, null), e);
        if (type == DispatcherType.ASYNC) {
          held.clear();
          shown.setResponse(held.real()); // a filter outside may answer this, by what it has
        }
        throw e;
      }
      if (failed(e) instanceof Delivery.Abort) {
        held.abort();
        aborted = true;
        throw e;
      }
      return;
    }
    leftChain(type);
    if (later || life.isOver()) {
      return;
    }
    if (in.isAsyncStarted() && !asyncOutside) {
      log.error(
          "{}: it was made asynchronous by another object than the request that this filter gave to"
              + " the chain (expected: by that one): its answer cannot be seen",
          describe());
      held.presetFailure();
      life.outcomeUnknown(new IllegalStateException("startAsync: passed by the filter"));
      return;
    }
    Failure failure = held.failure();
    if (failure != null && hasErrorPage(type)) {
      leaveToErrorPage(failure, null);
      held.leaveErrorToContainer(failure);
      return;
    }
    if (held.isAnsweredByContainer()) {
      Reply past = Explanation.of(held.statusOfContainer(), null);
      Delivery delivery = await(() -> recordStatus(past));
      if (!(delivery instanceof Delivery.Send)) {
        deliver(delivery);
      }
      return;
    }
    deliver(await(this::record));
  }

  private void leftChain(DispatcherType type) {
    if (type == DispatcherType.ASYNC && !later) {
      held.outside(true);
    }
    held.inChain(false);
  }

  // Errors.

  private boolean hasErrorPage(DispatcherType type) {
    return errorPageTimeout != null && type != DispatcherType.ERROR && !held.isSent();
  }

  /**
   * The container shows its error page next, and what that says is the answer. If it never comes,
   * the filter was told wrong; then the client has an answer that we do not see, and what can be
   * recorded is the status.
   */
  private void leaveToErrorPage(Failure failure, @Nullable Throwable thrown) {
    if (thrown != null && Thrown.of(thrown) == Thrown.NOTHING_DONE) {
      await(life::notRun);
      return;
    }
    if (!life.leaveThread(failure.status() >= SERVER_ERROR)) {
      return;
    }
    describeNow();
    CompletableFuture<Void> page = new CompletableFuture<>();
    errorPage = page;
    long timeoutMillis = errorPageTimeout == null ? 0 : errorPageTimeout.toMillis();
    page.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .whenCompleteAsync( // the end may have to be waited for
            (any, late) -> {
              if (late != null && !life.isOver()) {
                log.error(
                    "{}: no error page was shown for status {} (expected: one for every error, and"
                        + " this filter registered for ERROR dispatches)",
                    describe(),
                    failure.status());
                recordStatus(Explanation.of(failure.status(), failure.message()));
              }
            });
  }

  /** A filter outside has answered what the handler threw; what it said was not seen. */
  void answeredOutside(int status) {
    CompletableFuture<Void> page = errorPage;
    if (page != null && page.complete(null)) {
      await(() -> recordStatus(Explanation.of(status, null)));
    }
  }

  private CompletionStage<Delivery> recordStatus(Reply reply) {
    return saysNothingOfOperation(reply.status())
        ? completedStage(outcomeUnknown(() -> {}, true, () -> true))
        : life.answered(() -> answer(reply));
  }

  private Optional<Answer> answer(Reply reply) {
    return recorded(reply.status(), reply.headers(), new Body.Full(reply.body()));
  }

  /** The handler threw, and there is no error page: a failure, whatever it wrote before. */
  private Delivery failed(Throwable thrown) throws AbortedException {
    Delivery delivery =
        saysNothingOfOperation(SERVER_ERROR) && Thrown.of(thrown) != Thrown.NOTHING_DONE
            ? outcomeUnknown(() -> failure(SERVER_ERROR), !held.isPartlyWritten(), () -> true)
            : await(() -> life.failed(thrown, () -> failure(SERVER_ERROR)));
    if (delivery instanceof Delivery.AlreadyEnded) {
      log.warn("{}: failed after its answer was complete", describe(), thrown);
      return delivery;
    }
    log.error("{}: failed", describe(), thrown);
    if (delivery instanceof Delivery.Abort) {
      return delivery;
    }
    if (Thrown.of(thrown) == Thrown.NOTHING_DONE) {
      failure(SERVER_ERROR);
    }
    WatchedAsync started = async;
    if (later && started != null) {
      deliver(started.real(), delivery);
    } else {
      deliver(delivery);
    }
    return delivery;
  }

  /** Only for whoever ends the exchange: another thread may be about to answer. */
  private Optional<Answer> failure(int status) {
    held.ignoreFurtherWrites();
    if (held.isSent()) {
      return answer(Explanation.of(status, null));
    }
    held.clear();
    held.answerError(new Failure(status, null));
    return kept();
  }

  // The end.

  private CompletionStage<Delivery> record() {
    if (saysNothingOfOperation(held.getStatus())) {
      return completedStage(
          outcomeUnknown(
              this::finish, held.isAnsweredByListener(), this::isStillAnsweredByListener));
    }
    Throwable cause = thrown;
    if (cause != null && Thrown.of(cause) == Thrown.NOTHING_DONE) {
      return life.notRun().thenApply(this::finished);
    }
    if (cause != null && life.isUnknown(cause)) {
      return completedStage(deliverUnknown(life.outcomeUnknown(cause)));
    }
    return cause != null && thrownLate
        ? life.failed(cause, () -> failure(SERVER_ERROR))
        : life.answered(this::answer);
  }

  /**
   * Whether an answer says nothing about the operation, since a listener gives it in the place of a
   * handler that may still run: a failure is not the handler's, and "not now" would let it run
   * twice. A success is the application's word, and so is what it says by {@link #notNow()}; unless
   * it is half of what the handler had begun to answer, or nothing at all.
   */
  private boolean saysNothingOfOperation(int status) {
    return inPlace
        && !notNow
        && (!held.isAnsweredByListener()
            || request
                .answer(status, List.of(), new Body.Omitted())
                .filter(answer -> answer.outcome() == Outcome.SUCCESS)
                .isEmpty());
  }

  /**
   * Nobody knows what the handler did: the client gets what the listener says about that.
   *
   * @param said whether it says anything, and nothing of what the handler had begun is with it
   * @param still whether that is so when the answer is finished: until then the handler may speak
   */
  private Delivery outcomeUnknown(Runnable finish, boolean said, BooleanSupplier still) {
    Delivery delivery =
        life.outcomeUnknown(
            new TimeoutException("answered in the place of the handler, by a listener"));
    if (!(delivery instanceof Delivery.Instead)) {
      return delivery;
    }
    if (!said) {
      return held.isPartlyWritten() ? Delivery.ABORT : delivery;
    }
    finish.run();
    return still.getAsBoolean() ? Delivery.SEND : delivery;
  }

  private boolean isStillAnsweredByListener() {
    return held.isAnsweredByListener() && saysNothingOfOperation(held.getStatus());
  }

  /** What is sent without being recorded is put together by whoever has ended it. */
  private Delivery finished(Delivery delivery) {
    if (delivery instanceof Delivery.Send) {
      finish();
    }
    return delivery;
  }

  /** Nobody knows what the handler did: the client may have what is said of that, if it says so. */
  private Delivery deliverUnknown(Delivery delivery) {
    if (!(delivery instanceof Delivery.Instead) || held.isPartlyWritten()) {
      return delivery;
    }
    finish();
    return held.getStatus() < 400 ? delivery : Delivery.SEND;
  }

  /** Waits for the end to be recorded. An interrupt ends the wait, and not the recording. */
  private Delivery await(Supplier<CompletionStage<Delivery>> end) {
    try {
      return once.await(end);
    } catch (WaitInterruptedException e) {
      return life.clientGone();
    }
  }

  /** What the handler, or an error page, answered. */
  private Optional<Answer> answer() {
    finish();
    return kept();
  }

  private void finish() {
    Failure failure = held.failure();
    if (failure != null) {
      held.answerError(failure);
    }
    held.finish();
  }

  private Optional<Answer> kept() {
    return recorded(held.getStatus(), held.fields(), held.kept());
  }

  private Optional<Answer> recorded(int status, List<Header> fields, Body kept) {
    return notNow ? Optional.empty() : request.answer(status, fields, kept);
  }

  private void deliver(Delivery delivery) throws AbortedException {
    try {
      if (delivery instanceof Delivery.Send) {
        held.send();
      } else if (delivery instanceof Delivery.Instead instead) {
        held.sendInstead(request.refuse(instead.refusal()));
      } else if (delivery instanceof Delivery.Failed failed) {
        fail(failed.thrown());
      } else if (delivery instanceof Delivery.Abort) {
        held.abort();
        aborted = true; // no error page is added to it
        throw new AbortedException();
      }
    } catch (AbortedException e) {
      throw e;
    } catch (IOException e) {
      log.debug("a client left before its answer", e);
    }
  }

  /** The container shows its error page, or there is none: as if the handler had thrown this. */
  private void fail(RuntimeException thrown) throws IOException {
    held.clear();
    if (errorPageTimeout != null && errorPage == null) {
      throw thrown;
    }
    log.error("{}: failed", describe(), thrown);
    held.answerError(new Failure(SERVER_ERROR, null));
    held.send();
  }

  // Asynchronous.

  boolean allowsAsync() {
    return life.mayAnswerLater();
  }

  @Nullable WatchedAsync async() {
    return async;
  }

  AsyncContext startAsync(Supplier<AsyncContext> start, ServletRequest in, ServletResponse out) {
    if (!allowsAsync()) {
      throw new IllegalStateException(
          "startAsync: in a run that ends on its thread (expected: an answer before the return)");
    }
    AsyncContext real = start.get();
    if (life.isOver()) {
      return real; // of an error page that is not recorded
    }
    WatchedAsync watched = new WatchedAsync(this, real, in, out, async);
    real.addListener(watched);
    async = watched;
    stuck = null;
    later = true;
    held.presetFailure();
    return watched;
  }

  /** Runs something on a thread of the container, while the request is asynchronous. */
  void callLater(Runnable call) {
    WatchedAsync started = async;
    if (started == null) {
      throw new IllegalStateException("listener: not asynchronous (expected: after startAsync)");
    }
    started.real().start(call);
  }

  /**
   * The application says that the answer is complete.
   *
   * @param byListener whether it was told of a timeout or an error, and says so about that
   */
  void complete(AsyncContext real, boolean byListener) {
    inPlace |= byListener;
    CompletableFuture<Delivery> recorded = record().toCompletableFuture();
    if (held.isDetached()) {
      return;
    }
    if (recorded.isDone()) {
      deliver(real, recorded.join());
    } else {
      recorded.thenAccept(delivery -> real.start(() -> deliver(real, delivery)));
    }
  }

  /** If it was over before, whoever ended it answers: on another thread, perhaps not yet. */
  private void deliver(AsyncContext real, Delivery delivery) {
    if (delivery instanceof Delivery.AlreadyEnded || !answering.compareAndSet(false, true)) {
      return;
    }
    try {
      deliver(delivery);
    } catch (AbortedException e) {
      aborted = true;
    } catch (RuntimeException e) {
      log.error("{}: its answer could not be sent", describe(), e);
      aborted = true;
    } finally {
      answered.complete(null);
    }
    leave(real);
  }

  /** Gives an asynchronous request back to the container, which breaks it off if it is cut off. */
  private void leave(AsyncContext real) {
    try {
      if (aborted) {
        real.dispatch();
      } else {
        real.complete();
      }
    } catch (IllegalStateException e) {
      log.debug("an asynchronous request was left before, or is timing out", e);
    }
  }

  /**
   * Nobody knows what becomes of it: the client is told so, and the handler may still end. If it is
   * being answered on another thread, that has to end first, or the container would answer too; and
   * Jetty lets only this thread say that it has.
   */
  void timedOut(AsyncContext real) {
    if (!answering.compareAndSet(false, true)) {
      if (!awaitAnswered()) {
        log.warn("{}: its client does not read the answer; cut off", describe());
        held.abort();
        detach();
        aborted = true;
      }
      leave(real);
      return;
    }
    detachRequest();
    ProblemType type = ProblemType.UPSTREAM_TIMEOUT;
    Reply reply = request.problem(500, type, type.advice());
    try {
      if (!held.answerAndDetach(
          reply)) { // the handler may be about to write more, on another thread
        held.abort();
        held.detach();
        aborted = true;
      }
    } catch (IOException e) {
      log.debug("a client left before its answer", e);
    }
    Throwable reason = stuck;
    if (reason != null) {
      life.outcomeUnknown(reason);
    }
    leave(real);
  }

  /**
   * Waits for the answer. Undertow lets a client that does not read wait for ever, and this is one
   * of its few threads: there it is waited for as long as something is read. Other containers give
   * up a write themselves, and Tomcat must not have its request back before.
   */
  private boolean awaitAnswered() {
    if (!held.isOnUndertow()) {
      answered.join();
      return true;
    }
    long seen = -1;
    while (seen != held.sentSoFar()) {
      seen = held.sentSoFar();
      try {
        answered.copy().orTimeout(readTimeout.toMillis(), TimeUnit.MILLISECONDS).join();
        return true;
      } catch (CompletionException e) {
        log.debug("an answer is still being sent", e);
      }
    }
    return false;
  }

  /** Listeners are about to be told of a timeout or an error. */
  void errorOrTimeout() {
    held.listenersBegin();
  }

  void listenersTold() {
    held.listenersEnd();
  }

  /**
   * After a timeout the container takes no dispatch: nobody will see what that would answer. Jetty
   * takes none any more when it is about to tell of a timeout.
   */
  void notDispatched(RuntimeException cause) {
    held.outside(false);
    if (cause instanceof IllegalStateException) { // others say nothing of the container's state
      isStuck(cause);
    }
  }

  /** Nobody will end it, unless another part of the handler does so before its timeout. */
  void isStuck(Throwable cause) {
    stuck = cause;
    if (held.isDetached()) {
      life.outcomeUnknown(cause);
    }
  }

  /** The handler may still end. */
  void clientLost() {
    detach();
  }

  /**
   * A dispatch ended that this filter did not see: it is not registered for ASYNC, or a filter
   * outside has not let it pass. What is held may be an answer, half of one, or nothing.
   */
  void containerCompleted(WatchedAsync by, boolean dispatched) {
    if (dispatched && later && by == async && !life.isOver()) {
      log.error(
          "a dispatch did not come to this filter, so that its answer is not known; register it for"
              + " ASYNC dispatches, and see whether filters outside let them pass");
      detach();
      life.outcomeUnknown(new IllegalStateException("dispatch: not seen"));
    }
  }
}
