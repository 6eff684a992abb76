package dev.once.simulation;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The store as an engine sees it that makes one mistake with its claims or withdrawals. */
final class MutantLink extends ForwardingStore {

  private static final int HUNDRED = 100;

  private final Mutant mutant;
  private final Map<Long, ClaimRequest> claims = new HashMap<>();
  private final Set<Long> refused = new HashSet<>();
  private final Set<Long> withdrawn = new HashSet<>();

  private MutantLink(Mutant mutant, Store store) {
    super(store);
    this.mutant = mutant;
  }

  static Store of(Mutant mutant, Store store) {
    return mutant == Mutant.NONE ? store : new MutantLink(mutant, store);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    claims.put(request.token(), request);
    CompletionStage<Claim> reply = super.claim(request);
    if (mutant == Mutant.CLAIM_ASKED_TWICE) {
      CompletionStage<Claim> unused = super.claim(request);
    }
    return reply.whenComplete(
        (claim, failure) -> {
          if (failure instanceof StepNotTakenException) {
            refused.add(request.token());
          } else {
            refused.remove(request.token());
          }
        });
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    ClaimRequest claim = claims.get(token);
    if (mutant == Mutant.WITHDRAW_BY_CLAIM && claim != null) {
      return super.claim(withoutTakeover(claim))
          .thenCompose(
              reply ->
                  reply instanceof Claim.Granted granted
                      ? release(granted.lease())
                      : completedFuture(false));
    }
    boolean first = withdrawn.add(token);
    boolean forgotten =
        (mutant == Mutant.WITHDRAW_ONCE && !first)
            || (mutant == Mutant.ONLY_LAST_FAILURE_SEEN && refused.contains(token))
            || (mutant == Mutant.HUNDRED_WITHDRAWALS && withdrawn.size() > HUNDRED);
    return forgotten ? completedFuture(false) : super.withdraw(id, token);
  }

  private static ClaimRequest withoutTakeover(ClaimRequest claim) {
    return new ClaimRequest(
        claim.id(), claim.fingerprint(), claim.token(), claim.lease(), claim.retention(), false);
  }
}
