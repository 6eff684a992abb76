package dev.once.http.gateway;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** What the gateway itself counts: how much clients take of it. */
final class GatewayMetrics {

  private GatewayMetrics() {}

  static void register(MeterRegistry registry, HeldBytes held, StrictHttp1 connections) {
    Gauge.builder("gateway.held.bytes", held, HeldBytes::held)
        .description("Bytes of bodies that are held in memory")
        .register(registry);
    Gauge.builder("gateway.held.bytes.limit", held, HeldBytes::limit)
        .description("Most bytes of bodies that may be held: max-held-bytes")
        .register(registry);
    FunctionCounter.builder("gateway.held.refusals", held, HeldBytes::refusals)
        .description("Bodies for which there was no room in time")
        .register(registry);
    Gauge.builder("gateway.connections", connections, StrictHttp1::connections)
        .description("Open connections of clients and operators")
        .register(registry);
    FunctionCounter.builder(
            "gateway.connections.refused", connections, StrictHttp1::refusedConnections)
        .description("Connections closed because there were too many: max-connections")
        .register(registry);
    FunctionCounter.builder(
            "gateway.connections.gave.way", connections, StrictHttp1::evictedConnections)
        .description("Connections without a request that were closed for new ones")
        .register(registry);
  }
}
