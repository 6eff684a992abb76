package dev.once.spring.method;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Puts {@link IdempotentInterceptor} before annotated bean methods. It comes before
 * {@code @Transactional}: with a lease the method's transaction has ended when the result is
 * recorded, and without one it is the transaction that this began.
 */
final class IdempotentAdvisor extends AbstractPointcutAdvisor {
  private static final long serialVersionUID = 1;

  /** Before what has no order, as transactions have not; after what has one of the user's. */
  static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

  private final transient Advice advice;
  private final transient Pointcut pointcut;

  IdempotentAdvisor(IdempotentInterceptor advice, IdempotentMethods methods) {
    this.advice = advice;
    this.pointcut = new Annotated(methods);
    setOrder(ORDER);
  }

  @Override
  public Pointcut getPointcut() {
    return pointcut;
  }

  @Override
  public Advice getAdvice() {
    return advice;
  }

  private static final class Annotated extends StaticMethodMatcherPointcut {

    Annotated(IdempotentMethods methods) {
      setClassFilter(methods::mayBeAnnotated);
    }

    @Override
    public boolean matches(Method method, Class<?> type) {
      return IdempotentMethods.ofBeanMethod(method, type) != null;
    }
  }
}
