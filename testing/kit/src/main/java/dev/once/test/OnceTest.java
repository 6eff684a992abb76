package dev.once.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test of the class a {@link dev.once.core.Once}, a {@link TestClock} and a {@link
 * RecordingStore} of its own: as parameters of tests, {@code @BeforeEach} and {@code @AfterEach}
 * methods.
 *
 * <pre>{@code
 * @OnceTest
 * class ChargeTest {
 *   private final Bank bank = new Bank();
 *
 *   @Test
 *   void a_charge_that_is_sent_twice_is_charged_once(Once once, TestClock clock) {
 *     Payments payments = new Payments(once, bank);
 *     payments.charge("key-1", 10);
 *     payments.charge("key-1", 10);
 *     assertThat(once).operation("key-1").wasExecutedOnce().wasReplayed(1);
 *     clock.passes(Duration.ofHours(24));
 *     assertThat(once).operation("key-1").isNew();
 *   }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnceExtension.class)
@SuppressWarnings("exports") // who writes tests with JUnit has its module
public @interface OnceTest {}
