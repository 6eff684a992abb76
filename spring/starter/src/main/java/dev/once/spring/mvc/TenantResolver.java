package dev.once.spring.mvc;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** A bean of this kind says which tenant a request belongs to, and so whose key it is. */
@FunctionalInterface
public interface TenantResolver {

  /** The tenant; null if it cannot be told, and then the request is refused. */
  @Nullable String tenantOf(HttpServletRequest request);
}
