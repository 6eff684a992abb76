package dev.once.stores.redis;

import dev.once.core.store.Finding;
import dev.once.core.store.Finding.Level;
import dev.once.core.store.StoreException;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis that was reached: its connections, how it stands, and how to send it steps.
 *
 * @param own the threads that end with it; null if they are the user's
 */
record ConnectedRedis(
    @Nullable ClientResources own,
    Link link,
    ServerSuitability fitness,
    Script.All scripts,
    StepSender steps,
    EventExecutorGroup timer)
    implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

  /**
   * Reaches it, and asks how it stands.
   *
   * @throws StoreException if it cannot be reached
   */
  static ConnectedRedis reach(RedisSettings settings, @Nullable ClientResources users) {
    boolean cluster = settings.topology() == RedisSettings.Topology.CLUSTER;
    Channels channels =
        new Channels(
            users == null ? new NettyCustomizer() {} : users.nettyCustomizer(),
            settings.timeout().multipliedBy(2).plus(settings.replicasTimeout()));
    ClientResources resources = Client.resources(users, channels);
    Link link = null;
    try {
      link =
          cluster
              ? new ClusterLink(settings, resources)
              : new SingleLink(settings, resources, channels);
      List<ServerFacts> facts =
          link.masters().stream()
              .map(master -> ServerFacts.of(master, settings.timeout()))
              .toList();
      ServerSuitability fitness = new ServerSuitability(facts, settings);
      Replication replication = new Replication(settings.replicas(), settings.replicasTimeout());
      return new ConnectedRedis(
          users == null ? resources : null,
          link,
          fitness,
          Script.All.forServer(fitness.atLeast7(), cluster),
          new StepSender(link, resources.eventExecutorGroup(), replication),
          resources.eventExecutorGroup());
    } catch (RuntimeException e) {
      if (link != null) {
        link.close();
      }
      if (users == null) {
        ClientShutdown.now(resources);
      }
      throw new StoreException(
          settings + ": cannot be used: " + Failures.reasons(Failures.cause(e)), e);
    }
  }

  /** {@link #reach}, and refuses one that is unfit. Says in the log what it means for the keys. */
  static ConnectedRedis open(RedisSettings settings, @Nullable ClientResources users) {
    ConnectedRedis redis = reach(settings, users);
    try {
      for (Finding finding : redis.fitness.findings()) {
        if (finding.level() == Level.UNFIT) {
          throw new StoreException(
              settings + ": " + finding.subject() + ": " + finding.detail(), null);
        }
        if (finding.level() == Level.WARNING) {
          log.warn("{}: {}: {}", settings, finding.subject(), finding.detail());
        } else if (finding.subject().equals("persistence")) {
          log.info("{}: {}: {}", settings, finding.subject(), finding.detail());
        }
      }
      new StepProbe(redis, settings).run();
      return redis;
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  @Override
  public void close() {
    steps.close();
    link.close();
    if (own != null) {
      ClientShutdown.now(own);
    }
  }
}
