package dev.once.test;

import dev.once.core.Once;
import dev.once.core.store.Store;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * {@link OnceTest} as an extension, to register by hand where the engine needs other settings. Each
 * test has its own engine, clock and store, so tests may run in parallel; all is closed after it.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final OnceExtension ONCE = new OnceExtension(builder -> builder.maxWaiters(1));
 * }</pre>
 */
@SuppressWarnings("exports") // who calls what takes or gives these types has their module
public final class OnceExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

  /** What one test has. */
  private record Fixture(RecordingStore store, Once once) {}

  private static final Namespace NAMESPACE = Namespace.create(OnceExtension.class);

  /** The types that a parameter may have. */
  private static final List<Class<?>> GIVEN =
      List.of(Once.class, TestClock.class, RecordingStore.class, Store.class);

  private final UnaryOperator<Once.Builder> settings;

  /** With the default settings. */
  public OnceExtension() {
    this(builder -> builder);
  }

  public OnceExtension(UnaryOperator<Once.Builder> settings) {
    this.settings = settings;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    RecordingStore store = new RecordingStore();
    context.getStore(NAMESPACE).put(Fixture.class, new Fixture(store, store.once(settings)));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Fixture fixture = context.getStore(NAMESPACE).remove(Fixture.class, Fixture.class);
    if (fixture != null) {
      fixture.once().close();
      fixture.store().close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return GIVEN.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Fixture fixture = context.getStore(NAMESPACE).get(Fixture.class, Fixture.class);
    Class<?> type = parameter.getParameter().getType();
    if (fixture == null) {
      throw new ParameterResolutionException(
          "%s: a parameter of %s (expected: of a test, @BeforeEach or @AfterEach method); each test"
                  .formatted(type.getSimpleName(), parameter.getDeclaringExecutable())
              + " has its own, so there is none before it");
    }
    if (type == Once.class) {
      return fixture.once();
    }
    return type == TestClock.class ? fixture.store().clock() : fixture.store();
  }
}
