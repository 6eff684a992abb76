package dev.once.benchmarks;

import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;

/** How long claims take that 8 threads make. What is claimed is released. */
final class ClaimLatency {

  private static final int THREADS = 8;

  private ClaimLatency() {}

  /** In microseconds. */
  static double p99(Store store, int claimsEach) throws InterruptedException {
    long[] nanos = new long[THREADS * claimsEach];
    CountDownLatch ended = new CountDownLatch(THREADS);
    for (int thread = 0; thread < THREADS; thread++) {
      int from = thread * claimsEach;
      new Thread(
              () -> {
                for (int i = 0; i < claimsEach; i++) {
                  nanos[from + i] = claimAndRelease(store);
                }
                ended.countDown();
              })
          .start();
    }
    ended.await();
    Arrays.sort(nanos);
    return nanos[(int) (nanos.length * 0.99)] / 1e3;
  }

  private static long claimAndRelease(Store store) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    ClaimRequest request =
        new ClaimRequest(
            Sample.id(new SplittableRandom(random.nextLong())),
            Sample.FINGERPRINT,
            random.nextLong(),
            Policy.DEFAULT.lease(),
            Policy.DEFAULT.retention(),
            false);
    long start = System.nanoTime();
    Claim claim = store.claim(request).toCompletableFuture().join();
    long taken = System.nanoTime() - start;
    Lease lease = ((Claim.Granted) claim).lease();
    store.release(lease).toCompletableFuture().join();
    return taken;
  }
}
