package dev.once.spring;

import dev.once.core.Once;

/** A bean of this kind changes settings of the {@link Once} bean before it is built. */
@FunctionalInterface
public interface OnceCustomizer {

  void customize(Once.Builder builder);
}
