/** All libraries side by side: no two have a package in common, and each finds what it needs. */
@SuppressWarnings("requires-automatic")
module consumer.all {
  requires com.fasterxml.jackson.databind;
  requires dev.once.codecs.jackson;
  requires dev.once.core;
  requires dev.once.http.conformance;
  requires dev.once.http.gateway;
  requires dev.once.http.semantics;
  requires dev.once.http.servlet;
  requires dev.once.ops.micrometer;
  requires dev.once.stores.jdbc;
  requires dev.once.stores.redis;
  requires dev.once.stores.tiered;
  requires dev.once.tck;
  requires dev.once.test;
  requires jakarta.servlet;
}
