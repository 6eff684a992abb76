package dev.once.spring.actuate;

import dev.once.core.store.Inspection.Counts;

/** Is told how many records there are, when somebody has them counted. */
@FunctionalInterface
interface StoredCounts {
  void counted(Counts counts);
}
