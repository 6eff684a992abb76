package dev.once.faults;

class SentinelFaultsTest extends TopologyRuns {

  @Override
  Topology start() throws Exception {
    return new SentinelTopology();
  }
}
