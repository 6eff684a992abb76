package dev.once.spring.actuate;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** {@link StoreHealth} as Boot 3 has it. */
final class Boot3HealthIndicator implements HealthIndicator {

  private final StoreHealth store;

  Boot3HealthIndicator(StoreHealth store) {
    this.store = store;
  }

  @Override
  public Health health() {
    Throwable failure = store.failure();
    Health.Builder health = failure == null ? Health.up() : Health.down(failure);
    return health.withDetails(store.details()).build();
  }
}
