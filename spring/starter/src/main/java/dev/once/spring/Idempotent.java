package dev.once.spring;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This happens once for each idempotency key.
 *
 * <p>On a handler method of a controller, or on the controller for all of them: requests to it are
 * in scope, whatever their method (safe ones never are), under the policy of the properties with
 * these values changed. The key is the header's.
 *
 * <p>On a method of any other bean, such as a scheduled job or a listener, or on its class for all
 * public methods: the key is what {@link #key} makes of the arguments. The result is recorded as
 * JSON, and given again to whoever calls with the same key. Calls within the bean itself pass by
 * Spring's proxy, and so by this.
 *
 * <p>What is not said stays as the properties have it.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Idempotent {

  /**
   * Whether a key must be there. A handler without one is refused with 400. A bean method must have
   * one unless this says {@code false}: then it just runs.
   */
  boolean[] required() default {};

  /** How long the answer is kept, such as {@code "72h"}. */
  String retention() default "";

  /** The named policy that the other values change, such as {@code "strict"}. */
  String profile() default "";

  /** What a retry gets when the first one never ended. */
  OnCrash[] onCrash() default {};

  /** What a duplicate gets while the first one runs. */
  OnBusy[] onBusy() default {};

  /** What becomes of a 5xx answer, or of an exception of a bean method. */
  OnEnd[] onFailure() default {};

  /**
   * Bean methods only: the key, in SpEL over the arguments, such as {@code "#order.id"}. Beans are
   * there by {@code @name}, arguments also as {@code #a0}.
   */
  String key() default "";

  /**
   * Bean methods only: what tells one request from another under the same key, in SpEL. By default
   * all arguments, as JSON.
   */
  String fingerprint() default "";

  /**
   * Bean methods only: the name under which the keys of this method are kept. By default its class
   * and name; give one to keep the keys when the method is renamed.
   */
  String name() default "";

  /**
   * Whether the key and what is written to the database commit together: no lease, no second
   * connection, and nothing left of what rolls back.
   */
  boolean[] sameTransaction() default {};
}
