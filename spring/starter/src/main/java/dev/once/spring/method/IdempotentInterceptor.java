package dev.once.spring.method;

import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Origin;
import dev.once.core.Scope;
import dev.once.http.semantics.canonical.CanonicalBody;
import dev.once.spring.Idempotent;
import dev.once.spring.transaction.OnceTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * Stands before {@link Idempotent} bean methods: makes an operation of the call, and has it run
 * once. All that it needs is looked up at the first call: it is made before most other beans.
 */
final class IdempotentInterceptor implements MethodInterceptor {

  static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final IdempotentMethods methods;
  private final BeanFactory beans;

  IdempotentInterceptor(IdempotentMethods methods, BeanFactory beans) {
    this.methods = methods;
    this.beans = beans;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = Objects.requireNonNull(invocation.getThis());
    IdempotentMethod method = methods.of(invocation.getMethod(), AopUtils.getTargetClass(target));
    EvaluationContext context = context(method, target, invocation.getArguments());
    Key key = key(method, context);
    if (key == null) {
      return invocation.proceed();
    }
    Operation operation =
        Operation.of(
                new Scope("", "", method.name()),
                key,
                fingerprint(method, context, invocation.getArguments()),
                method.policy())
            .from(new Origin("method", method.name(), ""));
    MethodCall call = new MethodCall(method, operation, invocation);
    return method.sameTransaction()
        ? new TransactionCalls(beans.getBean(OnceTransactions.class)).call(call)
        : beans.getBean(LeasedCalls.class).call(call);
  }

  private EvaluationContext context(IdempotentMethod method, Object target, Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method.method(), arguments, NAMES);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    return context;
  }

  private static @Nullable Key key(IdempotentMethod method, EvaluationContext context) {
    Object given = evaluate(method, method.key(), context);
    String what = "key of " + method.name() + ": " + method.key().getExpressionString();
    String text = KeyText.of(what, given, method.type().getClassLoader());
    if (!text.isEmpty()) {
      return Key.of(text);
    }
    if (!method.required()) {
      return null;
    }
    throw new IllegalArgumentException(
        "%s is %s (expected: some text); give the argument a value, or say required ="
                .formatted(what, given == null ? "null" : "empty")
            + " false to run without a key");
  }

  private Fingerprint fingerprint(
      IdempotentMethod method, EvaluationContext context, Object[] arguments) {
    List<Bytes> parts = new ArrayList<>();
    parts.add(Bytes.utf8(method.name()));
    Expression expression = method.fingerprint();
    if (expression != null) {
      parts.add(canonical(method, evaluate(method, expression, context)));
    } else {
      for (Object argument : arguments) {
        parts.add(canonical(method, argument));
      }
    }
    return Fingerprint.of(parts.toArray(Bytes[]::new));
  }

  /** Two maps with the same entries are the same, in whichever order they give them. */
  private Bytes canonical(IdempotentMethod method, @Nullable Object value) {
    byte[] json;
    try {
      json = methods.json().write(value);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "fingerprint of %s: a %s cannot be written as JSON (expected: what Jackson writes all of); nothing ran. Say what tells one request from another: fingerprint = \"#order.id\", for example"
              .formatted(method.name(), value == null ? null : value.getClass().getName()),
          e);
    }
    return CanonicalBody.of("application/json", null, Bytes.wrap(json)).bytes();
  }

  private static @Nullable Object evaluate(
      IdempotentMethod method, Expression expression, EvaluationContext context) {
    try {
      return expression.getValue(context);
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(
          "@Idempotent on %s: %s cannot be evaluated, %s (expected: names of arguments; compile with"
                  .formatted(method.name(), expression.getExpressionString(), e.getMessage())
              + " -parameters, or use #a0)",
          e);
    }
  }
}
