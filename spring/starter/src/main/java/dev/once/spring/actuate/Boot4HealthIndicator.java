package dev.once.spring.actuate;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** {@link StoreHealth} as Boot 4 has it. */
final class Boot4HealthIndicator implements HealthIndicator {

  private final StoreHealth store;

  Boot4HealthIndicator(StoreHealth store) {
    this.store = store;
  }

  @Override
  public Health health() {
    Throwable failure = store.failure();
    Health.Builder health = failure == null ? Health.up() : Health.down(failure);
    return health.withDetails(store.details()).build();
  }
}
