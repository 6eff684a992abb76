package dev.once.core.store;

/**
 * What a store can do; read by the engine, the contract tests and the documentation.
 *
 * @param durable records survive a crash of every process
 * @param shared several processes may use it at once
 * @param wakeUp {@link Store#watch} is implemented
 * @param sameTransaction a record can commit together with the application's own write
 * @param maxAnswerBytes the largest body that {@link Store#complete} takes
 */
public record StoreCapabilities(
    boolean durable, boolean shared, boolean wakeUp, boolean sameTransaction, int maxAnswerBytes) {}
