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
import dev.once.http.servlet.HeldResponse.SentError;
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

  /** Decides what is recorded and what the client gets, and that the operation ends only once. */
  private final Exchange running;

  /** How long the container may take to begin with its error page; null if there is none. */
  private final @Nullable Duration errorPageTimeout;

  /** How long a client may read nothing of its answer after the time of its request is over. */
  private final Duration readTimeout;

  private final RequestBody body;

  /** The request that the chain got; null before it runs. */
  private volatile @Nullable BufferedRequest bufferedRequest;

  private volatile HeldResponse held;

  /** The response that the chain got. In an ASYNC dispatch filters outside get it too. */
  private volatile HttpServletResponseWrapper chainResponse;

  private volatile @Nullable WatchedAsync async;

  /** Whether the application answers later; a dispatch back into the filter ends that. */
  private volatile boolean answersLater;

  private volatile boolean aborted;
  private volatile boolean notNow;

  /** What the handler threw, if something within the chain answers that. */
  private volatile @Nullable Throwable thrown;

  /** Whether the response was committed by then: its status is that from before the exception. */
  private volatile boolean thrownAfterCommit;

  /** Whether a listener, called for a timeout or an error, answers in place of the handler. */
  private volatile boolean listenerAnswers;

  /**
   * Whoever sets it sends the answer of an asynchronous request: the recorded one, or a timeout.
   */
  private final AtomicBoolean answering = new AtomicBoolean();

  /** Done when the answer of an asynchronous request was sent. */
  private final CompletableFuture<Void> answerSent = new CompletableFuture<>();

  /**
   * Why nothing will complete the request: the container took no dispatch, or a task that it ran
   * threw. Null if something may.
   */
  private volatile @Nullable Throwable stuckCause;

  /** Done when the container's error page begins; null if none is waited for. */
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
    this.running = new Exchange(execution, () -> held().isPartlySent());
    this.errorPageTimeout = errorPageTimeout;
    this.readTimeout = readTimeout;
    this.body = body;
    this.held = hold(in, out, null);
    this.chainResponse = new HttpServletResponseWrapper(held);
  }

  /**
   * The exchange that a request is part of; null if it is not under a key. The request that the
   * chain got knows its exchange, whatever the container does with the request that it wraps.
   */
  static @Nullable ServletExchange of(ServletRequest request) {
    BufferedRequest bufferedRequest = BufferedRequest.in(request);
    return bufferedRequest == null
        ? (ServletExchange) request.getAttribute(ATTRIBUTE)
        : bufferedRequest.exchange();
  }

  Execution execution() {
    return running.execution();
  }

  HeldResponse held() {
    return held;
  }

  HttpServletResponse chainResponse() {
    return chainResponse;
  }

  void notNow() {
    notNow = true;
  }

  void thrown(Throwable thrown) {
    thrownAfterCommit = held.isCommitted();
    this.thrown = thrown;
  }

  private HeldResponse hold(
      HttpServletRequest in, HttpServletResponse out, @Nullable HeldResponse earlier) {
    int limit = request.policy().policy().maxStoredBody();
    return new HeldResponse(in, out, limit, earlier, this::runOnContainerThread);
  }

  // Dispatches.

  void start(HttpServletRequest in, FilterChain chain) throws IOException, ServletException {
    BufferedRequest chainRequest;
    try {
      in.setAttribute(ATTRIBUTE, this);
      chainRequest = bufferRequest(in);
    } catch (Throwable e) { // wrappers and listeners of others can make it fail: nothing has run
      await(running::notRun);
      throw e;
    }
    dispatch(chainRequest, chainResponse, chain);
  }

  private BufferedRequest bufferRequest(HttpServletRequest in) {
    BufferedRequest chainRequest = new BufferedRequest(in, body, this);
    bufferedRequest = chainRequest;
    return chainRequest;
  }

  /** What the log calls its request. */
  String describe() {
    return request.describe();
  }

  /**
   * From now on the container's request and response are not touched. The handler may still end.
   */
  private void detach() {
    detachRequest();
    held.detach();
  }

  private synchronized void detachRequest() {
    BufferedRequest chainRequest = bufferedRequest;
    if (chainRequest != null) {
      try {
        chainRequest.detach();
      } catch (RuntimeException e) { // of a wrapper outside: the client is answered all the same
        log.error(
            "{}: the request could not be copied for a handler that is still running",
            request.describe(),
            e);
      }
    }
  }

  /** The container dispatches the same request again. */
  void redispatch(HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    if (aborted) {
      throw new AbortedException();
    }
    DispatcherType type = in.getDispatcherType();
    CompletableFuture<Void> page = errorPage;
    if (type == DispatcherType.ASYNC && answersLater) {
      answersLater = false;
      if (running.isOver()) {
        return; // it was answered after the dispatch was asked for
      }
      held.adoptOuterChanges();
      held.setInOuterFilters(false);
      WatchedAsync previous = async;
      listenerAnswers |= previous != null && previous.mayBeDispatchedByListener();
      dispatch(in, out, chain);
    } else if (type == DispatcherType.ERROR && page != null && page.complete(null)) {
      answersLater = false;
      held = hold(in, HeldResponse.unwrap(out), held);
      chainResponse = new HttpServletResponseWrapper(held);
      dispatch(BufferedRequest.in(in) == null ? bufferRequest(in) : in, chainResponse, chain);
    } else {
      chain.doFilter(in, out);
    }
  }

  private void dispatch(HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    DispatcherType type = in.getDispatcherType();
    boolean asyncBefore = in.isAsyncStarted();
    held.setInChain(true);
    try {
      chain.doFilter(in, out);
    } catch (Throwable e) { // checked ones that nobody declares, too: Kotlin has no others
      chainReturned(type);
      if (!answersLater && hasErrorPage(type) && !running.isUnknown(e)) {
        leaveToErrorPage(new SentError(SERVER_ERROR, null), e);
        if (type == DispatcherType.ASYNC) {
          held.clear();
          chainResponse.setResponse(
              held.real()); // a filter outside may answer this, by what it has
        }
        throw e;
      }
      if (handlerThrew(e) instanceof Delivery.Abort) {
        held.abort();
        aborted = true;
        throw e;
      }
      return;
    }
    chainReturned(type);
    if (answersLater || running.isOver()) {
      return;
    }
    if (in.isAsyncStarted() && !asyncBefore) {
      log.error(
          "{}: startAsync was called on another request object than the one that this filter passed"
              + " to the chain (expected: on that one): its answer cannot be recorded",
          request.describe());
      held.presetErrorStatus();
      running.outcomeUnknown(new IllegalStateException("startAsync: bypassed the filter"));
      return;
    }
    SentError error = held.sentError();
    if (error != null && hasErrorPage(type)) {
      leaveToErrorPage(error, null);
      held.leaveErrorToContainer(error);
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

  private void chainReturned(DispatcherType type) {
    if (type == DispatcherType.ASYNC && !answersLater) {
      held.setInOuterFilters(true);
    }
    held.setInChain(false);
  }

  // Errors.

  private boolean hasErrorPage(DispatcherType type) {
    return errorPageTimeout != null && type != DispatcherType.ERROR && !held.isPartlySent();
  }

  /**
   * The container shows its error page next, and what that says is the answer. If it never comes,
   * the filter is configured wrongly. Then the client gets an answer that we do not see, and what
   * can be recorded is the status only.
   */
  private void leaveToErrorPage(SentError error, @Nullable Throwable thrown) {
    if (thrown != null && Thrown.of(thrown) == Thrown.NOTHING_DONE) {
      await(running::notRun);
      return;
    }
    if (!running.leaveThread(error.status() >= SERVER_ERROR)) {
      return;
    }
    CompletableFuture<Void> page = new CompletableFuture<>();
    errorPage = page;
    long timeoutMillis = errorPageTimeout == null ? 0 : errorPageTimeout.toMillis();
    page.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .whenCompleteAsync( // the end may have to be waited for
            (any, timeout) -> {
              if (timeout != null && !running.isOver()) {
                log.error(
                    "{}: no error page was shown for status {} (expected: one for every error, and"
                        + " this filter registered for ERROR dispatches)",
                    request.describe(),
                    error.status());
                recordStatus(Explanation.of(error.status(), error.message()));
              }
            });
  }

  /** A filter outside has answered what the handler threw, with an answer that was not seen. */
  void answeredOutside(int status) {
    CompletableFuture<Void> page = errorPage;
    if (page != null && page.complete(null)) {
      await(() -> recordStatus(Explanation.of(status, null)));
    }
  }

  private CompletionStage<Delivery> recordStatus(Reply reply) {
    return leavesOutcomeUnknown(reply.status())
        ? completedStage(outcomeUnknown(() -> {}, true, () -> true))
        : running.answered(() -> answerToRecord(reply));
  }

  private Optional<Answer> answerToRecord(Reply reply) {
    return answerToRecord(reply.status(), reply.headers(), new Body.Full(reply.body()));
  }

  /** The handler threw, and there is no error page: a failure, whatever it wrote before. */
  private Delivery handlerThrew(Throwable thrown) throws AbortedException {
    Delivery delivery =
        leavesOutcomeUnknown(SERVER_ERROR) && Thrown.of(thrown) != Thrown.NOTHING_DONE
            ? outcomeUnknown(
                () -> replaceByFailure(SERVER_ERROR), !held.isPartlyWritten(), () -> true)
            : await(() -> running.failed(thrown, () -> replaceByFailure(SERVER_ERROR)));
    if (delivery instanceof Delivery.AlreadyEnded) {
      log.warn("{}: failed after its answer was complete", request.describe(), thrown);
      return delivery;
    }
    log.error("{}: failed", request.describe(), thrown);
    if (delivery instanceof Delivery.Abort) {
      return delivery;
    }
    if (Thrown.of(thrown) == Thrown.NOTHING_DONE) {
      replaceByFailure(SERVER_ERROR);
    }
    WatchedAsync started = async;
    if (answersLater && started != null) {
      deliver(started.real(), delivery);
    } else {
      deliver(delivery);
    }
    return delivery;
  }

  /** Only for the thread that ends the exchange: another one may be about to answer. */
  private Optional<Answer> replaceByFailure(int status) {
    held.ignoreFurtherWrites();
    if (held.isPartlySent()) {
      return answerToRecord(Explanation.of(status, null));
    }
    held.clear();
    held.answerError(new SentError(status, null));
    return answerToRecord();
  }

  // The end.

  private CompletionStage<Delivery> record() {
    if (leavesOutcomeUnknown(held.getStatus())) {
      return completedStage(
          outcomeUnknown(
              this::finish, held.isAnsweredByListener(), this::isStillAnsweredByListener));
    }
    Throwable cause = thrown;
    if (cause != null && Thrown.of(cause) == Thrown.NOTHING_DONE) {
      return running.notRun().thenApply(this::finishIfSent);
    }
    if (cause != null && running.isUnknown(cause)) {
      return completedStage(deliverUnknown(running.outcomeUnknown(cause)));
    }
    return cause != null && thrownAfterCommit
        ? running.failed(cause, () -> replaceByFailure(SERVER_ERROR))
        : running.answered(this::finishedAnswer);
  }

  /**
   * Whether an answer says nothing about the operation, since a listener gives it in the place of a
   * handler that may still run: a failure is not the handler's, and "not now" would let it run
   * twice. A success counts as the answer, and so does {@link #notNow()}; unless it is a part of
   * what the handler had begun to answer, or empty.
   */
  private boolean leavesOutcomeUnknown(int status) {
    return listenerAnswers
        && !notNow
        && (!held.isAnsweredByListener()
            || request
                .answer(status, List.of(), new Body.Omitted())
                .filter(answer -> answer.outcome() == Outcome.SUCCESS)
                .isEmpty());
  }

  /**
   * Nobody knows what the handler did: the client gets what a listener answers about that.
   *
   * @param byListener whether all that is held is the answer of a listener
   * @param stillByListener the same when the answer is finished: until then the handler may write
   */
  private Delivery outcomeUnknown(
      Runnable finish, boolean byListener, BooleanSupplier stillByListener) {
    Delivery delivery =
        running.outcomeUnknown(
            new TimeoutException("answered in the place of the handler, by a listener"));
    if (!(delivery instanceof Delivery.Instead)) {
      return delivery;
    }
    if (!byListener) {
      return held.isPartlyWritten() ? Delivery.ABORT : delivery;
    }
    finish.run();
    return stillByListener.getAsBoolean() ? Delivery.SEND : delivery;
  }

  private boolean isStillAnsweredByListener() {
    return held.isAnsweredByListener() && leavesOutcomeUnknown(held.getStatus());
  }

  /** What is sent without being recorded was not finished yet: nobody has asked for the answer. */
  private Delivery finishIfSent(Delivery delivery) {
    if (delivery instanceof Delivery.Send) {
      finish();
    }
    return delivery;
  }

  /**
   * Nobody knows what the handler did: the client may get an error that the application answers.
   */
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
      return running.clientGone();
    }
  }

  /** What the handler, or an error page, answered. */
  private Optional<Answer> finishedAnswer() {
    finish();
    return answerToRecord();
  }

  private void finish() {
    SentError error = held.sentError();
    if (error != null) {
      held.answerError(error);
    }
    held.finish();
  }

  private Optional<Answer> answerToRecord() {
    return answerToRecord(held.getStatus(), held.fields(), held.bodyToRecord());
  }

  private Optional<Answer> answerToRecord(int status, List<Header> fields, Body body) {
    return notNow ? Optional.empty() : request.answer(status, fields, body);
  }

  private void deliver(Delivery delivery) throws AbortedException {
    try {
      if (delivery instanceof Delivery.Send) {
        held.send();
      } else if (delivery instanceof Delivery.Instead instead) {
        held.sendInstead(request.refuse(instead.refusal()));
      } else if (delivery instanceof Delivery.Failed failed) {
        throwToContainer(failed.thrown());
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

  /** Throws it to the container, which shows its error page; or answers 500 if there is none. */
  private void throwToContainer(RuntimeException thrown) throws IOException {
    held.clear();
    if (errorPageTimeout != null && errorPage == null) {
      throw thrown;
    }
    log.error("{}: failed", request.describe(), thrown);
    held.answerError(new SentError(SERVER_ERROR, null));
    held.send();
  }

  // Asynchronous.

  boolean allowsAsync() {
    return running.mayAnswerLater();
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
    if (running.isOver()) {
      return real; // of an error page that is not recorded
    }
    WatchedAsync watched = new WatchedAsync(this, real, in, out, async);
    real.addListener(watched);
    async = watched;
    stuckCause = null;
    answersLater = true;
    held.presetErrorStatus();
    return watched;
  }

  /** Runs something on a thread of the container, while the request is asynchronous. */
  void runOnContainerThread(Runnable call) {
    WatchedAsync started = async;
    if (started == null) {
      throw new IllegalStateException("listener: set without startAsync (expected: after it)");
    }
    started.real().start(call);
  }

  /**
   * The application says that the answer is complete.
   *
   * @param byListener whether a listener says so, called for a timeout or an error
   */
  void complete(AsyncContext real, boolean byListener) {
    listenerAnswers |= byListener;
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

  /** If it had ended before, the thread that ended it answers, perhaps later. */
  private void deliver(AsyncContext real, Delivery delivery) {
    if (delivery instanceof Delivery.AlreadyEnded || !answering.compareAndSet(false, true)) {
      return;
    }
    try {
      deliver(delivery);
    } catch (AbortedException e) {
      aborted = true;
    } catch (RuntimeException e) {
      log.error("{}: its answer could not be sent", request.describe(), e);
      aborted = true;
    } finally {
      answerSent.complete(null);
    }
    returnToContainer(real);
  }

  /** Gives an asynchronous request back to the container, which ends the connection if aborted. */
  private void returnToContainer(AsyncContext real) {
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
   * The outcome is unknown: the client is told so, and the handler may still end. If it is being
   * answered on another thread, that has to end first, or the container would answer too; and Jetty
   * lets only this thread say that it has.
   */
  void timedOut(AsyncContext real) {
    if (!answering.compareAndSet(false, true)) {
      if (!awaitAnswered()) {
        log.warn("{}: its client does not read the answer; connection aborted", request.describe());
        held.abort();
        detach();
        aborted = true;
      }
      returnToContainer(real);
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
    endIfStuck();
    returnToContainer(real);
  }

  /**
   * Waits for the answer. Undertow lets a client that does not read wait for ever, and this is one
   * of its few threads: there it is waited for as long as something is read. Other containers give
   * up a write themselves, and Tomcat must not have its request back before.
   */
  private boolean awaitAnswered() {
    if (!held.isOnUndertow()) {
      answerSent.join();
      return true;
    }
    long seen = -1;
    while (seen != held.bytesSent()) {
      seen = held.bytesSent();
      try {
        answerSent.copy().orTimeout(readTimeout.toMillis(), TimeUnit.MILLISECONDS).join();
        return true;
      } catch (CompletionException e) {
        log.debug("an answer is still being sent", e);
      }
    }
    return false;
  }

  /** Listeners are about to be called for a timeout or an error. */
  void listenersBegin() {
    held.listenersBegin();
  }

  void listenersEnd() {
    held.listenersEnd();
  }

  /**
   * After a timeout the container takes no dispatch: nobody will see what that would answer. Jetty
   * takes none any more when it is about to tell of a timeout.
   */
  void notDispatched(RuntimeException cause) {
    held.setInOuterFilters(false);
    if (cause instanceof IllegalStateException) { // others say nothing of the container's state
      markStuck(cause);
    }
  }

  /** The handler will not complete it, unless another part of it does so before the timeout. */
  void markStuck(Throwable cause) {
    stuckCause = cause;
    if (held.isDetached()) {
      running.outcomeUnknown(cause);
    }
  }

  /** The container has reported an error. The handler may still end, unless it is stuck. */
  void clientLost() {
    detach();
    endIfStuck();
  }

  private void endIfStuck() {
    Throwable cause = stuckCause;
    if (cause != null) {
      running.outcomeUnknown(cause);
    }
  }

  /**
   * A dispatch ended that this filter did not see: it is not registered for ASYNC, or a filter
   * outside has not let it pass. What is held may be a whole answer, a part of one, or nothing.
   */
  void containerCompleted(WatchedAsync completed, boolean dispatched) {
    if (dispatched && answersLater && completed == async && !running.isOver()) {
      log.error(
          "a dispatch did not come to this filter, so its answer is not known; register the filter"
              + " for ASYNC dispatches, and check that the filters before it let them pass");
      detach();
      running.outcomeUnknown(new IllegalStateException("dispatch: not seen"));
    }
  }
}
