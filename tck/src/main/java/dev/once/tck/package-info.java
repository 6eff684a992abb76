/**
 * The contract of a {@link dev.once.core.store.Store}, as tests. The author of a store writes a
 * {@link dev.once.tck.StoreFixture} and extends {@link dev.once.tck.StoreContract}:
 *
 * <pre>{@code
 * class MyStoreContractTest extends StoreContract {
 *   @Override
 *   protected StoreFixture open() {
 *     return new MyStoreFixture();
 *   }
 * }
 * }</pre>
 */
@NullMarked
package dev.once.tck;

import org.jspecify.annotations.NullMarked;
