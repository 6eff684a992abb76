package dev.once.simulation;

import dev.once.core.store.ClaimRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share. */
final class World {

  final EventQueue queue = new EventQueue();
  final History history = new History(queue);
  final Violations violations = new Violations(history);
  final Coverage coverage = new Coverage();
  final StoreClock storeClock = new StoreClock(queue);
  final StoreModel storeModel =
      new StoreModel(storeClock, history, new UndoLog(queue), violations, coverage);
  final RunRules runRules = new RunRules(this);
  final ResultRules resultRules = new ResultRules(this);
  final CallRules callRules = new CallRules(this);
  final Mutant mutant;
  final StoreServer server;
  final Faults faults;
  final StoreKind storeKind;
  final CacheServer cache;
  final CacheFaults cacheFaults;
  final CacheRules cacheRules;

  /** Each call by the token of its claim. */
  final Map<Long, Call> calls = new HashMap<>();

  /** Tokens of claims that an engine sent to a tiered store after their call had ended. */
  final Set<Long> lateClaims = new HashSet<>();

  /** The call that is just being passed to an engine. */
  @Nullable Call callBeginning;

  /** When the last fault was over. */
  long healedAt = Long.MAX_VALUE;

  /** Calls that have claimed nothing yet: their engine looks first whether there is room. */
  final List<Call> notClaimed = new ArrayList<>();

  /** The reply of the store that a process is just being given. */
  Link.@Nullable ReplyTimes currentReply;

  // The nodes' settings.
  final Duration storeTimeout;
  final Duration recordTimeout;
  final Duration purgeInterval;
  final int maxWaiters;
  final boolean wakeUps;

  World(SplittableRandom random, Mutant mutant) {
    this.mutant = mutant;
    server =
        new StoreServer(
            new MutantStore(mutant, storeClock, queue), storeClock, history, storeModel, coverage);
    storeTimeout = Duration.ofMillis(random.nextInt(60, 400));
    recordTimeout = Duration.ofMillis(random.nextInt(50, 2_000));
    purgeInterval = Duration.ofMillis(random.nextInt(1_000, 8_000));
    maxWaiters = random.nextInt(1, 4);
    wakeUps = random.nextBoolean();
    storeKind = StoreKind.random(random);
    faults = new Faults(random.split(), storeKind.isTiered());
    cache = new CacheServer(queue, history, mutant);
    cacheFaults = new CacheFaults(random.split());
    cacheRules = new CacheRules(this, cache);
  }

  /** The call that a claim is for; null for an engine's own, by which it looks for room. */
  @Nullable Call callOf(Incarnation at, ClaimRequest request) {
    Call call = calls.get(request.token());
    if (call == null && callBeginning != null && callBeginning.asksFor(at, request)) {
      call = callBeginning;
    }
    if (call == null) {
      notClaimed.removeIf(Call::isOver);
      for (Call other : notClaimed) {
        call = call == null && other.asksFor(at, request) ? other : call;
      }
    }
    if (call != null) {
      notClaimed.remove(call);
      calls.put(request.token(), call);
    }
    return call;
  }
}
