package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All that happened to one operation, in order. Thread-safe. */
public final class History {

  /** An event, and the claim that it is the reply to; the others have token 0. */
  private record Entry(long token, Event event) {}

  private final OperationId id;

  // Guarded by this.
  private final List<Entry> entries = new ArrayList<>();

  History(OperationId id) {
    this.id = id;
  }

  public OperationId operation() {
    return id;
  }

  public synchronized List<Event> events() {
    return entries.stream().map(Entry::event).toList();
  }

  /** The events of one kind, in order. */
  public <T extends Event> List<T> events(Class<T> kind) {
    return events().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** How often somebody was given the right to run it. */
  public int executions() {
    return events(Event.Began.class).size();
  }

  /** How often a retry was given the recorded answer. */
  public int replays() {
    return events(Event.Replayed.class).size();
  }

  /** Why requests were not run, in order. */
  public List<Reason> refusals() {
    return events(Event.Refused.class).stream().map(Event.Refused::reason).toList();
  }

  synchronized void add(Event event) {
    entries.add(new Entry(0, event));
  }

  synchronized void remove(Event event) {
    entries.removeIf(entry -> entry.event() == event);
  }

  /** A request that asks again, with the same token, is one request: the last reply counts. */
  synchronized void asked(ClaimRequest request, Claim claim, Instant now) {
    if (claim instanceof Claim.Granted granted && hasBegun(granted.lease().fence())) {
      return;
    }
    refused(request.token(), event(request.fingerprint(), claim, now));
  }

  synchronized void refused(long token, Event event) {
    entries.removeIf(entry -> entry.token() == token && entry.event() instanceof Event.Refused);
    entries.add(new Entry(token, event));
  }

  private boolean hasBegun(Fence fence) {
    return events(Event.Began.class).stream().anyMatch(began -> began.fence().equals(fence));
  }

  private static Event event(Fingerprint asked, Claim claim, Instant now) {
    if (claim instanceof Claim.Granted granted) {
      return new Event.Began(now, granted.lease().fence(), granted.lease().attempt());
    }
    Claim.Taken taken = (Claim.Taken) claim;
    if (!taken.fingerprint().equals(asked)) {
      return new Event.Refused(now, Reason.MISMATCH);
    }
    if (taken instanceof Claim.Finished finished) {
      return new Event.Replayed(now, finished.answer());
    }
    return new Event.Refused(
        now, taken instanceof Claim.Busy ? Reason.BUSY : Reason.OUTCOME_UNKNOWN);
  }

  /** The answer recorded last, whether it is still kept or not. */
  @Nullable Answer lastAnswer() {
    List<Event.Ended> ended = events(Event.Ended.class);
    return ended.isEmpty() ? null : ended.get(ended.size() - 1).answer();
  }

  /** The executions that have neither ended nor crashed. */
  List<Fence> running() {
    List<Fence> running = new ArrayList<>();
    for (Event event : events()) {
      if (event instanceof Event.Began began) {
        running.add(began.fence());
      } else if (event instanceof Event.Ended ended) {
        running.remove(ended.fence());
      } else if (event instanceof Event.Released released) {
        running.remove(released.fence());
      } else if (event instanceof Event.Crashed crashed) {
        running.remove(crashed.fence());
      } else if (event instanceof Event.CameLate late) {
        running.remove(late.fence());
      }
    }
    return running;
  }

  /** One line for each event, or a line that says that there is none. */
  @Override
  public String toString() {
    List<Event> events = events();
    return events.isEmpty()
        ? "  nothing"
        : events.stream()
            .map(event -> "  " + event.at() + "  " + event)
            .collect(Collectors.joining(System.lineSeparator()));
  }
}
