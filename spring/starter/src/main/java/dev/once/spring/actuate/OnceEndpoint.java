package dev.once.spring.actuate;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Inspection;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.lang.Nullable;

/**
 * The store as an operator sees it: how many records there are, the record of a key, and the
 * release of one by hand. Like every endpoint but health it is there only if it is exposed, and
 * secured as they are. Keys are shown masked, and recorded bodies never.
 *
 * <p>The key is a query parameter and not part of the path: it may have a slash.
 */
@Endpoint(id = "once")
public final class OnceEndpoint {

  private static final Logger log = LoggerFactory.getLogger(OnceEndpoint.class);

  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final Inspection inspection;
  private final StoredCounts listener;

  OnceEndpoint(Store store, StoredCounts listener) {
    inspection = store.inspection();
    this.listener = listener;
  }

  /** With a key its record, without one how many records there are. */
  @ReadOperation
  public WebEndpointResponse<Map<String, Object>> look(
      @Nullable String key,
      @Nullable String tenant,
      @Nullable String user,
      @Nullable String route) {
    if (key == null) {
      return new WebEndpointResponse<>(counts());
    }
    OperationId id;
    try {
      id = id(key, tenant, user, route);
    } catch (IllegalArgumentException e) {
      return problem(BAD_REQUEST, String.valueOf(e.getMessage()), null);
    }
    return find(id)
        .map(record -> new WebEndpointResponse<>(view(record)))
        .orElseGet(() -> notFound(id));
  }

  /**
   * Removes a record, so that a request with its key runs.
   *
   * @param fence as {@link #look} showed it: what has changed since is not removed unseen
   */
  @DeleteOperation
  public WebEndpointResponse<Map<String, Object>> release(
      String key,
      long fence,
      @Nullable String tenant,
      @Nullable String user,
      @Nullable String route) {
    OperationId id;
    try {
      id = id(key, tenant, user, route);
    } catch (IllegalArgumentException e) {
      return problem(BAD_REQUEST, String.valueOf(e.getMessage()), null);
    }
    if (fence > 0 && StoreHealth.await(inspection.forceRelease(id, new Fence(fence)))) {
      log.warn("{}: released by hand, fence {}", id, fence);
      return new WebEndpointResponse<>(Map.of("key", id.masked(), "released", true));
    }
    return find(id).map(OnceEndpoint::changed).orElseGet(() -> notFound(id));
  }

  private Optional<OperationRecord> find(OperationId id) {
    return StoreHealth.await(inspection.find(id));
  }

  private static OperationId id(
      String key, @Nullable String tenant, @Nullable String user, @Nullable String route) {
    return new OperationId(new Scope(text(tenant), text(user), text(route)), Key.of(key));
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  private Map<String, Object> counts() {
    Counts counts = StoreHealth.await(inspection.count());
    listener.counted(counts);
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("processing", counts.processing());
    shown.put("abandoned", counts.abandoned());
    shown.put("done", counts.done());
    shown.put("failed", counts.failed());
    return shown;
  }

  private static Map<String, Object> view(OperationRecord record) {
    Map<String, Object> shown = new LinkedHashMap<>();
    OperationId id = record.lease().id();
    shown.put("key", id.masked());
    shown.put("tenant", id.scope().tenant());
    shown.put("user", id.scope().user());
    shown.put("route", id.scope().route());
    shown.put("status", record.status().name());
    shown.put("attempt", record.lease().attempt());
    shown.put("fence", record.lease().fence().value());
    shown.put("fingerprint", record.fingerprint().toString());
    shown.put("requestedAt", record.requestedAt().toString());
    shown.put("leaseEnds", record.leaseEnds().toString());
    shown.put("expiresAt", record.expiresAt().toString());
    if (record.completedAt() != null) {
      shown.put("completedAt", record.completedAt().toString());
    }
    Answer answer = record.answer();
    if (answer != null) {
      shown.put("code", answer.code());
    }
    return shown;
  }

  private static WebEndpointResponse<Map<String, Object>> notFound(OperationId id) {
    return problem(
        NOT_FOUND,
        "%s: no record (expected: one with this key, tenant, user and route); see that all four"
                .formatted(id)
            + " are the request's",
        null);
  }

  private static WebEndpointResponse<Map<String, Object>> changed(OperationRecord record) {
    return problem(
        CONFLICT,
        "fence: not the current one (expected: %s); look at the record again before it is released"
            .formatted(record.lease().fence()),
        view(record));
  }

  private static WebEndpointResponse<Map<String, Object>> problem(
      int status, String detail, @Nullable Map<String, Object> record) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("detail", detail);
    if (record != null) {
      shown.put("record", record);
    }
    return new WebEndpointResponse<>(shown, status);
  }
}
