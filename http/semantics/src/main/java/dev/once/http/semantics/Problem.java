package dev.once.http.semantics;

import dev.once.core.Header;
import dev.once.core.Refusal.Retry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a client may be told of a request that was not run, or not answered.
 *
 * @param policy what the request is under
 * @param aboutKey whether it has a key, or should have one; without one, nothing is said of keys
 * @param retryAfter null where it is not known when a retry helps
 * @param instance names this one problem; the log has it too
 * @param docs the page that explains it
 */
public record Problem(
    HttpPolicy policy,
    boolean aboutKey,
    int status,
    ProblemType type,
    String detail,
    @Nullable Duration retryAfter,
    String instance,
    URI docs) {

  /** What the client can do; null if that depends on things that only the client knows. */
  public @Nullable Retry retry() {
    return aboutKey || type.retry() == Retry.NEVER ? type.retry() : null;
  }

  /** Where its type is explained. */
  public String link() {
    return docs + "#" + type.anchor();
  }

  /** Whether there is a page that clients can reach. */
  public boolean hasPage() {
    return !docs.equals(Problems.NO_PAGE);
  }

  /** What every reply needs: the type of its body, no caches, and {@code Retry-After} if known. */
  public List<Header> headers(String contentType) {
    List<Header> headers = new ArrayList<>(4);
    headers.add(new Header("Content-Type", contentType));
    headers.add(new Header("Cache-Control", "no-store"));
    if (retryAfter != null) {
      long seconds = Math.max(1, retryAfter.plusMillis(999).toSeconds());
      headers.add(new Header("Retry-After", String.valueOf(seconds)));
    }
    return headers;
  }

  /** The same problem under another name, for examples that stay the same. */
  public Problem withInstance(String name) {
    return new Problem(policy, aboutKey, status, type, detail, retryAfter, name, docs);
  }
}
