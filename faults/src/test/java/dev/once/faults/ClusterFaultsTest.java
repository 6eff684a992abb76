package dev.once.faults;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterFaultsTest extends TopologyRuns {

  @Override
  Topology start() throws Exception {
    return new ClusterTopology();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void the_slot_moves_from_node_to_node(int replicas) throws Exception {
    try (Run run = load("slot moves", replicas)) {
      ClusterTopology cluster = (ClusterTopology) topology();
      for (int i = 0; i < 4; i++) {
        cluster.moveSlot();
        run.awaitAnswers(50);
      }
      finish(run, Set.of());
    }
  }
}
