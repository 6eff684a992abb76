package dev.once.faults;

import dev.once.faults.State.Kind;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Looks for an order in which the steps of one key can have happened, each at a moment between its
 * two times, so that each is what the key allows then. If there is none, the history is wrong,
 * whatever it was that broke it.
 *
 * <p>A key by itself, as the store's contract has it:
 *
 * <pre>
 * step                  in which state it can happen                         and then
 * GRANT f               free, and f is higher than every fence before        taken by f
 *                       taken or orphaned, its lease over, if the policy     taken by f
 *                         says that a crash runs again
 * COMPLETE f            taken by f, its lease over or not                    answered by f
 * RELEASE f             taken or answered by f                               free
 * SAW_ANSWER f          answered by f
 * SAW_BUSY              taken or orphaned
 * SAW_UNKNOWN           taken or orphaned, its lease over, if the policy
 *                         says that a crash does not run again
 * SAW_TAKEN             any but free
 * SAW_NOT_OWNER f       any that comes after f was granted, but taken or answered by f
 * FOUND_NONE            free
 * FOUND_TAKEN f         taken by f; orphaned, if no handler ran with f
 * FOUND_ANSWER f        answered by f
 *
 * what nobody asks for
 * a claim in doubt      free; or as a GRANT does; see Orphans                orphaned
 * its withdrawal        orphaned, by a process that lives                    free
 * the retention's end   answered; taken or orphaned, its lease over          free
 * </pre>
 *
 * <p>When a lease or a retention begins is known roughly: no earlier than its owner asked, or its
 * handler began. A lease may have been renewed.
 *
 * <p>The search is that of Wing and Gong, with the states remembered that led nowhere (Lowe). A
 * step can be the next one if all that ended before it began have had their turn. Of those, what
 * only sees and fits has its turn at once: to move it there from a later place changes nothing for
 * the others. So only changes are tried one after another, and there are few.
 */
final class Linearization {

  /** Keys have some tens of states. One that has more than this needs a look. */
  private static final int MAX_STATES = 100_000;

  private record Node(BitSet done, State state, long now) {}

  private final String key;
  private final List<Step> list;
  private final Steps steps;
  private final Orphans orphans;
  private final Promises promises;
  private final Set<Node> seen = new HashSet<>();
  private Node best;

  Linearization(String key, Steps steps, Orphans orphans, Promises promises) {
    this.key = key;
    this.steps = steps;
    this.list = steps.all().stream().sorted(Comparator.comparingLong(Step::until)).toList();
    this.orphans = orphans;
    this.promises = promises;
  }

  /** What speaks against every order; empty if there is one. */
  Optional<String> contradiction() {
    if (isPossible(new BitSet(), State.NEW, Long.MIN_VALUE)) {
      return Optional.empty();
    }
    if (seen.size() >= MAX_STATES) {
      return Optional.of("the search was given up after " + MAX_STATES + " states");
    }
    List<Step> left =
        list.stream().filter(s -> s.must() && !best.done.get(list.indexOf(s))).limit(4).toList();
    return Optional.of("no order: the key is " + best.state + ", and then there is " + left);
  }

  private boolean isPossible(BitSet before, State state, long since) {
    BitSet done = (BitSet) before.clone();
    long now = applyObservations(done, state, since);
    long deadline = deadline(done);
    if (deadline == Long.MAX_VALUE) {
      return true;
    }
    Node node = new Node(done, state, now);
    if (now > deadline || seen.size() >= MAX_STATES || !seen.add(node)) {
      return false;
    }
    if (best == null || done.cardinality() > best.done.cardinality()) {
      best = node;
    }
    return tryChange(node, deadline)
        || tryExpiry(node, deadline)
        || tryWithdrawal(node)
        || tryOrphan(node, deadline);
  }

  /** By when the next step must have happened; never, if all have. */
  private long deadline(BitSet done) {
    for (int i = done.nextClearBit(0); i < list.size(); i = done.nextClearBit(i + 1)) {
      if (list.get(i).must()) {
        return list.get(i).until();
      }
    }
    return Long.MAX_VALUE;
  }

  /** Lets all have their turn that only see, and see this state; says when that can have been. */
  private long applyObservations(BitSet done, State state, long since) {
    long now = since;
    boolean progress = true;
    while (progress) {
      progress = false;
      long deadline = deadline(done);
      for (int i = done.nextClearBit(0); i < list.size(); i = done.nextClearBit(i + 1)) {
        Step step = list.get(i);
        if (step.kind().isChange() || step.from() > deadline) {
          continue;
        }
        long at = Math.max(Math.max(now, step.from()), observableFrom(step, state));
        if (at <= deadline && at != Long.MAX_VALUE) {
          done.set(i);
          now = at;
          progress = true;
        }
      }
    }
    return now;
  }

  /** From when on this can be seen of a key in this state; never, if it cannot. */
  private long observableFrom(Step step, State state) {
    return switch (step.kind()) {
      case SAW_ANSWER, FOUND_ANSWER -> when(isAnswer(state, step.fence()));
      case SAW_BUSY -> when(state.is(Kind.TAKEN) || isOrphan(state, step));
      case SAW_UNKNOWN -> Keys.runsAgain(key) ? Long.MAX_VALUE : leaseEnds(state, step.from());
      case SAW_TAKEN ->
          when(state.is(Kind.TAKEN) || state.is(Kind.ANSWERED) || isOrphan(state, step));
      case SAW_NOT_OWNER -> when(state.isAfter(step.fence()));
      case FOUND_NONE -> when(state.is(Kind.FREE));
      case FOUND_TAKEN ->
          when(
              steps.run(step.fence()) == null
                  ? isOrphan(state, step)
                  : state.is(Kind.TAKEN) && state.fence() == step.fence());
      default -> Long.MAX_VALUE;
    };
  }

  private static long when(boolean possible) {
    return possible ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  private static boolean isAnswer(State state, long fence) {
    return state.is(Kind.ANSWERED) && state.fence() == fence;
  }

  private boolean isOrphan(State state, Step step) {
    return state.is(Kind.ORPHANED) && orphans.maySee(state.since(), step.from());
  }

  /** From when on a key in this state can be one whose owner crashed, for who asks then. */
  private long leaseEnds(State state, long asks) {
    return switch (state.kind()) {
      case TAKEN -> promises.earliestEnd(steps.run(state.fence()).asked(), promises.lease());
      case ORPHANED -> orphans.leaseEnds(state.since(), asks);
      default -> Long.MAX_VALUE;
    };
  }

  private boolean tryChange(Node node, long deadline) {
    for (int i = node.done.nextClearBit(0); i < list.size(); i = node.done.nextClearBit(i + 1)) {
      Step step = list.get(i);
      long at = Math.max(Math.max(node.now, step.from()), possibleFrom(step, node.state));
      if (step.kind().isChange()
          && at <= Math.min(deadline, step.until())
          && at != Long.MAX_VALUE) {
        BitSet done = (BitSet) node.done.clone();
        done.set(i);
        if (isPossible(done, changed(step, node.state), at)) {
          return true;
        }
      }
    }
    return false;
  }

  /** From when on this can be done to a key in this state; never, if it cannot. */
  private long possibleFrom(Step step, State state) {
    return switch (step.kind()) {
      case GRANT -> step.fence() > state.fence() ? grantedFrom(state) : Long.MAX_VALUE;
      case COMPLETE -> when(state.is(Kind.TAKEN) && state.fence() == step.fence());
      case RELEASE -> when(state.belongsTo(step.fence()));
      default -> Long.MAX_VALUE;
    };
  }

  private static State changed(Step step, State state) {
    return switch (step.kind()) {
      case GRANT -> state.taken(step.fence());
      case COMPLETE -> state.answered();
      default -> state.free();
    };
  }

  /** From when on a claim is granted. */
  private long grantedFrom(State state) {
    if (state.is(Kind.FREE)) {
      return Long.MIN_VALUE;
    }
    return Keys.runsAgain(key) ? leaseEnds(state, Long.MIN_VALUE) : Long.MAX_VALUE;
  }

  private boolean tryExpiry(Node node, long deadline) {
    long began =
        node.state.is(Kind.ANSWERED)
            ? steps.run(node.state.fence()).run().nanos()
            : leaseEnds(node.state, Long.MIN_VALUE);
    if (began == Long.MAX_VALUE || !Keys.mayExpire(key)) {
      return false;
    }
    long at = Math.max(node.now, promises.earliestEnd(began, Keys.retention(key)));
    return at <= deadline && isPossible(node.done, node.state.free(), at);
  }

  private boolean tryWithdrawal(Node node) {
    return node.state.is(Kind.ORPHANED)
        && orphans.mayBeWithdrawn(node.state.since(), node.now)
        && isPossible(node.done, node.state.free(), node.now);
  }

  /** Only if somebody is left who can have seen it. */
  private boolean tryOrphan(Node node, long deadline) {
    long from = Math.max(node.now, grantedFrom(node.state));
    if (from > deadline || !maySeeOrphan(node.done)) {
      return false;
    }
    for (long at : orphans.grants(from, deadline)) {
      if (isPossible(node.done, node.state.orphaned(at), at)) {
        return true;
      }
    }
    return false;
  }

  private boolean maySeeOrphan(BitSet done) {
    for (int i = done.nextClearBit(0); i < list.size(); i = done.nextClearBit(i + 1)) {
      if (list.get(i).mayShowOrphan()) {
        return true;
      }
    }
    return false;
  }
}
