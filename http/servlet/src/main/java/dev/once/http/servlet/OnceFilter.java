package dev.once.http.servlet;

import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.spi.Exchange;
import dev.once.http.semantics.Caller;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.RefusalFormat;
import dev.once.http.semantics.Reply;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Once in front of the servlets of an application. A request with a key runs once, and every retry
 * gets the recorded answer; everything else passes through, untouched.
 *
 * <p>Register it with {@code asyncSupported}, after authentication, and for the dispatcher types
 * {@link DispatcherType#REQUEST REQUEST}, {@link DispatcherType#ASYNC ASYNC} and, if there are
 * {@linkplain Builder#errorPages error pages}, {@link DispatcherType#ERROR ERROR}.
 */
public final class OnceFilter implements Filter {

  private static final Logger log = LoggerFactory.getLogger(OnceFilter.class);
  private static final String SEEN = OnceFilter.class.getName() + ".seen";

  private final Rules rules;
  private final BiFunction<HttpServletRequest, RequestHead, Match> routes;
  private final BiFunction<HttpServletRequest, RequestHead, Caller> callers;
  private final Runner runner;
  private final Once once;
  private final @Nullable Duration errorPageTimeout;
  private final Duration readTimeout;

  private OnceFilter(Builder builder) {
    rules = new Rules("servlet", new Problems(builder.docs, builder.refusalFormat));
    routes = builder.routes;
    callers = builder.callers;
    runner = builder.runner;
    once = builder.once;
    errorPageTimeout = builder.errorPages ? builder.errorPageTimeout : null;
    readTimeout = builder.readTimeout;
  }

  public static Builder builder(Once once) {
    return new Builder(once);
  }

  /**
   * The execution that this request runs under: fence and attempt for the handler. Empty if the
   * request is not under a key.
   */
  public static Optional<Execution> execution(ServletRequest request) {
    ServletExchange exchange = ServletExchange.of(request);
    return exchange == null ? Optional.empty() : Optional.of(exchange.execution());
  }

  /**
   * For a handler whose answer says "not now" and nothing about the operation, whatever its status:
   * it is sent and not recorded, and a retry runs. As for 425 and 429, which say so themselves.
   */
  public static void notNow(ServletRequest request) {
    ServletExchange exchange = ServletExchange.of(request);
    if (exchange != null) {
      exchange.notNow();
    }
  }

  /**
   * For a framework within the chain that answers what a handler threw. The answer is sent; what
   * becomes of the key is as if the exception had left the chain.
   */
  public static void thrown(ServletRequest request, Throwable thrown) {
    ServletExchange exchange = ServletExchange.of(request);
    if (exchange != null) {
      exchange.thrown(thrown);
    }
  }

  /**
   * For a filter outside that answers what handlers throw, or that knows that another one did: no
   * error page will be shown, so what is recorded is this status, and at once. Without that it is
   * waited for.
   */
  public static void answeredOutside(ServletRequest request, int status) {
    ServletExchange exchange = ServletExchange.of(request);
    if (exchange != null) {
      exchange.answeredOutside(status);
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest in)
        || !(response instanceof HttpServletResponse out)) {
      chain.doFilter(request, response);
      return;
    }
    ServletExchange running = ServletExchange.of(in);
    if (running != null) {
      running.redispatch(in, out, chain);
    } else if (isFirst(in)) {
      in.setAttribute(SEEN, true);
      handleFirst(in, out, chain);
    } else {
      chain.doFilter(in, out);
    }
  }

  /**
   * A filter outside may have gone asynchronous, and dispatched, or forwarded the request, before
   * this one saw it.
   */
  private static boolean isFirst(HttpServletRequest in) {
    DispatcherType type = in.getDispatcherType();
    return type == DispatcherType.REQUEST
        || ((type == DispatcherType.ASYNC || type == DispatcherType.FORWARD)
            && in.getAttribute(SEEN) == null);
  }

  private void handleFirst(HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    ServletHead head = new ServletHead(in);
    Verdict verdict = rules.evaluate(head, routes.apply(in, head), () -> callers.apply(in, head));
    if (verdict instanceof Verdict.Pass) {
      chain.doFilter(in, out);
    } else if (verdict instanceof Verdict.Refuse refuse) {
      once.listener().requestRefused(refuse.origin(), refuse.refusal());
      sendUnread(in, out, refuse.reply());
    } else if (verdict instanceof Verdict.Protect protect) {
      protect(protect.request(), in, out, chain);
    }
  }

  private void protect(
      ProtectedRequest request, HttpServletRequest in, HttpServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    RequestBody body;
    try {
      body = RequestBody.read(in, request);
    } catch (RequestBody.TooLargeException e) {
      sendUnread(in, out, request.tooLarge());
      return;
    } catch (RequestBody.BadPartsException e) {
      log.debug("parts of a multipart request could not be read", e);
      String detail = "The parts are not well-formed, or larger than the application allows.";
      sendUnread(in, out, request.problem(400, ProblemType.BAD_REQUEST, detail));
      return;
    }
    Begun begun = begin(request, in, body);
    if (begun instanceof Begun.Proceed proceed) {
      exchange(request, proceed.execution(), body, in, out).start(in, chain);
    } else if (begun instanceof Begun.Replay replay) {
      Fields.send(out, request.replay(replay.answer()));
    } else if (begun instanceof Begun.Refuse refuse) {
      Fields.send(out, request.refuse(refuse.refusal()));
    }
  }

  /** If that fails, as wrappers of others can make it fail, nothing has run. */
  private ServletExchange exchange(
      ProtectedRequest request,
      Execution execution,
      RequestBody body,
      HttpServletRequest in,
      HttpServletResponse out) {
    try {
      return new ServletExchange(
          request, execution, once, errorPageTimeout, readTimeout, body, in, out);
    } catch (Throwable e) {
      execution.release();
      throw e;
    }
  }

  /**
   * Replies before the body was read to its end. What is left of it may still be under way, and
   * then Jetty closes the connection without a word, under the client's next request.
   */
  private static void sendUnread(HttpServletRequest in, HttpServletResponse out, Reply reply)
      throws IOException {
    boolean hasBody = in.getContentLengthLong() > 0 || in.getHeader("Transfer-Encoding") != null;
    if (hasBody && in.getProtocol().startsWith("HTTP/1")) {
      out.setHeader("Connection", "close");
    }
    Fields.send(out, reply);
  }

  private Begun begin(ProtectedRequest request, HttpServletRequest in, RequestBody body) {
    Operation operation = request.operation(body.canonical());
    try {
      return runner.begin(in, operation);
    } catch (Throwable e) {
      return Exchange.notBegun(once.listener(), operation, e);
    }
  }

  /** A filter in the making; every setting has a default. */
  public static final class Builder {

    private final Once once;
    private Runner runner;
    private BiFunction<HttpServletRequest, RequestHead, Match> routes =
        by(Routes.all(HttpPolicy.DEFAULT));
    private BiFunction<HttpServletRequest, RequestHead, Caller> callers = by(ScopeRule.DEFAULT);
    private RefusalFormat refusalFormat = RefusalFormat.OF_THE_POLICY;
    private URI docs = URI.create("about:blank");
    private boolean errorPages;
    private Duration errorPageTimeout = Duration.ofSeconds(10);
    private Duration readTimeout = Duration.ofSeconds(30);

    private Builder(Once once) {
      this.once = once;
      runner = (request, operation) -> once.await(() -> once.begin(operation));
    }

    /** Which policy a request is under; by default the profile {@code ietf} for all. */
    public Builder policies(Function<HttpServletRequest, HttpPolicy> policies) {
      return routes(request -> new Match(policies.apply(request), Match.EVERYTHING_ELSE));
    }

    /** Which policy a request is under, and by which route it comes. */
    public Builder routes(Function<HttpServletRequest, Match> routes) {
      this.routes = (request, head) -> routes.apply(request);
      return this;
    }

    /** Which policy a request is under, by its path. */
    public Builder routes(Routes routes) {
      this.routes = by(routes);
      return this;
    }

    private static BiFunction<HttpServletRequest, RequestHead, Match> by(Routes routes) {
      return (request, head) -> routes.match(head);
    }

    /** Whose key it is; null if the tenant cannot be told. */
    public Builder scopes(Function<HttpServletRequest, @Nullable Scope> scopes) {
      return callers((request, head) -> Caller.of(scopes.apply(request)));
    }

    /**
     * Whose key it is, or why that is not known. Called only for requests with a well-formed key.
     */
    public Builder callers(BiFunction<HttpServletRequest, RequestHead, Caller> callers) {
      this.callers = callers;
      return this;
    }

    /** Whose key it is, by headers; by default {@link ScopeRule#DEFAULT}. */
    public Builder scopes(ScopeRule rule) {
      callers = by(rule);
      return this;
    }

    private static BiFunction<HttpServletRequest, RequestHead, Caller> by(ScopeRule rule) {
      return (request, head) -> rule.caller(head);
    }

    /** The policy page, which the types of problems link to. */
    public Builder docs(URI policyPage) {
      docs = policyPage;
      return this;
    }

    /** What refusals look like; by default as their policy says. */
    public Builder refusalFormat(RefusalFormat format) {
      refusalFormat = format;
      return this;
    }

    /**
     * Whether the application has an error page for every error, and this filter is registered for
     * ERROR dispatches: then what the page says is recorded. By default not; then {@code sendError}
     * and exceptions are answered with a short problem, as a container's own page cannot be seen.
     */
    public Builder errorPages(boolean errorPages) {
      this.errorPages = errorPages;
      return this;
    }

    /** How long a container may take to begin with an error page; it does so at once, or never. */
    Builder errorPageTimeout(Duration timeout) {
      errorPageTimeout = timeout;
      return this;
    }

    /**
     * How long a client may read nothing before it is cut off, once its request has timed out. Much
     * more than it takes to read what sockets hold: only then can more be sent.
     */
    Builder readTimeout(Duration timeout) {
      readTimeout = timeout;
      return this;
    }

    /** Where operations are begun; by default by the engine. */
    public Builder runner(Runner runner) {
      this.runner = runner;
      return this;
    }

    public OnceFilter build() {
      return new OnceFilter(this);
    }
  }
}
