-------------------------------- MODULE Once --------------------------------
(***************************************************************************)
(* The protocol of Once for one key: who may run an operation, and which   *)
(* answer everybody gets. TLC tries every order of the steps below.        *)
(*                                                                         *)
(* Some calls ask for the same key, each on a node of its own. Between     *)
(* them and the store is a network that loses messages and delivers them   *)
(* in any order and however late. A node may crash or stand still between  *)
(* any two steps. The store takes one step at a time, by its own clock.    *)
(*                                                                         *)
(* Read the actions in order: a call, the store, what goes wrong. Then the *)
(* invariants. README.md says what is left out.                            *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Calls,       \* the calls for this key; a call is also its token, which no other call has
  None,        \* no call
  Lease,       \* how many ticks of the store's clock a grant lasts without a renewal
  LastTick,    \* where the store's clock stops, to keep the model finite
  RunAgain,    \* TRUE: a claim takes over after the lease; FALSE: the outcome is unknown
  Forgets,     \* how often the record may be forgotten: by a person, or after its retention
  Losses,      \* how many messages of withdrawing may be lost
  Failovers,   \* how often the store may go back to what its replica has
  Withdrawal,  \* how a claim without a reply is taken back; chosen: "Repeat"
  Mutant       \* a mistake made on purpose, or "None"

ASSUME Withdrawal \in
  {"Repeat", "Once", "ClaimAndRelease", "ShortTombstone", "LongTombstone", "Never"}
ASSUME Mutant \in
  {"None", "NO_FENCE_ON_COMPLETE", "LEASE_JUDGED_BY_NODE_CLOCK", "CLAIM_AS_READ_THEN_WRITE",
   "RELEASE_WITHOUT_FENCE", "RECORD_DROPPED_WHEN_RECORDING_FAILS",
   "FENCE_STARTS_AGAIN", "ANSWER_GIVEN_BEFORE_RECORDED", "DOUBT_FORGOTTEN_WITH_A_REPLY",
   "WITHDRAWN_AFTER_RECORDING_FAILED", "WITHDRAW_WITHOUT_TOKEN"}

VARIABLES
  rec,       \* the store's record of the key
  now,       \* the store's clock
  lastFence, \* the highest fence granted so far
  tombs,     \* tokens that the store has been told to refuse (tombstones only)
  replica,   \* the record as the store's replica has it (failovers only)
  net,       \* the messages under way
  pc,        \* where each call is
  fence,     \* the fence that each call was told it has; 0 for none
  got,       \* the recorded answer that each call gave to its client; 0 for none
  doubt,     \* the calls of which a claim may be under way although another reply has come
  lost,      \* how many messages were lost
  failed,    \* how many failovers there were
  \* Only the invariants look at these; no step depends on them, except on the count of forgets.
  forgets,   \* how often the record was forgotten
  floor,     \* the highest fence that was granted before it was last forgotten
  lease,     \* until when each call's right to run lasts, by the store; 0 for no right
  ran,       \* fences that ran since the record was forgotten, and did not say "run me again"
  recorded   \* pairs of: forgets, answer

vars == <<rec, now, lastFence, tombs, replica, net, pc, fence, got, doubt, lost, failed,
          forgets, floor, lease, ran, recorded>>

\* Small words.

Absent == [state |-> "absent", token |-> None, fence |-> 0, end |-> 0, answer |-> 0]

\* An answer is known by the fence of the run that gave it.
Message(type, c, f, note) == [type |-> type, call |-> c, fence |-> f, note |-> note]

Asks == {"claim", "claim again", "claim to withdraw", "claim, write"}

\* Whether a claim of this call is still under way: it can be granted at any time.
ClaimUnderWay(c) == \E m \in net : m.call = c /\ m.type \in Asks

\* Whoever no longer listens throws a reply away, which is the same as losing it.
Listens(m) ==
  \/ m.type \in {"claim", "claim again", "claim, write"}
     /\ pc[m.call] \in {"asking", "asking again"}
  \/ m.type = "complete" /\ pc[m.call] = "recording"
  \/ m.type = "withdraw" /\ m.note = "last" /\ pc[m.call] = "withdrawing"
  \/ m.type = "claim to withdraw" /\ pc[m.call] = "withdrawing"
  \/ m.type = "release" /\ pc[m.call] = "withdrawing" /\ Withdrawal = "ClaimAndRelease"

Reply(m, f, note) ==
  net' = (net \ {m}) \cup
    (IF Listens(m)
     THEN {Message("reply", m.call, f, note)} ELSE {})

\* A call goes on to another place. Its replies that are still under way will find nobody, and a
\* renewal that comes after it changes nothing that matters.
GoTo(c, place, sent) ==
  /\ pc' = [pc EXCEPT ![c] = place]
  /\ net' = {m \in net : m.call # c \/ m.type \in Asks \cup {"complete", "release"}}
            \cup sent

\* A call is over for its client. While one of its claims may arrive, it is not over for its node.
End(c) ==
  GoTo(c, IF c \in doubt /\ Mutant # "DOUBT_FORGOTTEN_WITH_A_REPLY" THEN "withdrawing" ELSE "ended",
       {})

unchangedStore == UNCHANGED <<rec, lastFence, tombs, replica, lease, recorded, failed>>
unchangedWorld == UNCHANGED <<now, forgets, floor, failed, lost>>

Init ==
  /\ rec = Absent /\ replica = Absent /\ now = 0 /\ lastFence = 0 /\ tombs = {}
  /\ net = {} /\ doubt = {} /\ lost = 0 /\ failed = 0
  /\ pc = [c \in Calls |-> "new"]
  /\ fence = [c \in Calls |-> 0] /\ got = [c \in Calls |-> 0] /\ lease = [c \in Calls |-> 0]
  /\ forgets = 0 /\ floor = 0 /\ ran = {} /\ recorded = {}

-----------------------------------------------------------------------------
\* A CALL

\* A client calls: its node claims the key, with the call's token.
Claim(c) ==
  /\ pc[c] = "new"
  /\ GoTo(c, "asking", {Message("claim", c, 0, "")})
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* No reply, for whatever reason: it asks once more, with the same token. From now on the first
\* claim is in doubt, whatever the second one is told.
AskAgain(c) ==
  /\ pc[c] = "asking"
  /\ GoTo(c, "asking again", {Message("claim again", c, 0, "")})
  /\ doubt' = doubt \cup {c}
  /\ UNCHANGED <<fence, got, ran>> /\ unchangedStore /\ unchangedWorld

\* Still no reply, or no use in asking again. The client is told that the store is down and that
\* nothing was done; the claim, which may have been granted, is to be withdrawn.
GiveUp(c) ==
  /\ pc[c] \in {"asking", "asking again"}
  /\ GoTo(c, IF Withdrawal = "Never" THEN "ended" ELSE "withdrawing", {})
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The claim was granted: the handler runs.
Run(c) ==
  \E m \in net :
    /\ m.call = c /\ m.note = "granted" /\ pc[c] \in {"asking", "asking again"}
    /\ GoTo(c, "running", {})
    /\ fence' = [fence EXCEPT ![c] = m.fence]
    /\ ran' = IF m.fence > floor THEN ran \cup {m.fence} ELSE ran
    /\ UNCHANGED <<got, doubt>> /\ unchangedStore /\ unchangedWorld

\* The key is finished: the client gets the recorded answer.
Replay(c) ==
  \E m \in net :
    /\ m.call = c /\ m.note = "finished" /\ pc[c] \in {"asking", "asking again"}
    /\ End(c)
    /\ got' = [got EXCEPT ![c] = m.fence]
    /\ UNCHANGED <<fence, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The key is busy, its owner crashed, or the claim was withdrawn: the client is told so.
Refuse(c) ==
  \E m \in net :
    /\ m.call = c /\ m.note \in {"busy", "abandoned", "withdrawn"}
    /\ pc[c] \in {"asking", "asking again"}
    /\ End(c)
    /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* While it runs, its node renews the lease. No reply is needed.
Renew(c) ==
  /\ pc[c] = "running"
  /\ net' = net \cup {Message("renew", c, fence[c], "")}
  /\ UNCHANGED <<pc, fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The handler ends with an answer that is to be kept. Asked again as long as there is no reply.
Complete(c) ==
  /\ pc[c] \in {"running", "recording"}
  /\ Message("complete", c, fence[c], "") \notin net
  /\ IF Mutant = "ANSWER_GIVEN_BEFORE_RECORDED"
     THEN got' = [got EXCEPT ![c] = fence[c]] ELSE UNCHANGED got
  /\ pc' = [pc EXCEPT ![c] = "recording"]
  /\ net' = net \cup {Message("complete", c, fence[c], "")}
  /\ UNCHANGED <<fence, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The store says that the answer is recorded: the client gets it. Or that another took over: the
\* client is told that the ownership is lost, and gets no answer.
Completed(c) ==
  \E m \in net :
    /\ m.call = c /\ m.type = "reply" /\ pc[c] = "recording"
    /\ End(c)
    /\ got' = [got EXCEPT ![c] = IF m.note = "true" THEN fence[c] ELSE @]
    /\ UNCHANGED <<fence, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The store does not say. The client is told that the outcome is unknown, and the claim is left
\* alone: to drop it, or to withdraw it, would be to run the operation again blindly.
GiveUpRecording(c) ==
  /\ pc[c] = "recording"
  /\ CASE Mutant = "RECORD_DROPPED_WHEN_RECORDING_FAILS" ->
            GoTo(c, "releasing", {Message("release", c, fence[c], "")})
       [] Mutant = "WITHDRAWN_AFTER_RECORDING_FAILED" -> End(c)
       [] OTHER -> GoTo(c, "unknown", {})
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The handler ends with an answer that the policy does not keep, or says that it did nothing: the
\* key is released, and a retry may run.
Release(c) ==
  /\ pc[c] = "running"
  /\ GoTo(c, "releasing", {Message("release", c, fence[c], "")})
  /\ ran' = ran \ {fence[c]}
  /\ UNCHANGED <<fence, got, doubt>> /\ unchangedStore /\ unchangedWorld

\* It was released, or it was not and nobody knows.
Released(c) ==
  /\ pc[c] = "releasing"
  /\ End(c)
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* WITHDRAWING: how a claim that nobody runs is taken back.

\* "Repeat" withdraws for longer than a message lives, and longer than a replica lags: at the last
\* time no claim of this call is under way, and neither the store nor its replica has one to remove.
\* The other ways do not wait.
Holds(r, c) == r.state = "processing" /\ r.token = c
LastTime(c) ==
  Withdrawal = "Repeat" => ~ClaimUnderWay(c) /\ ~Holds(rec, c) /\ ~Holds(replica, c)

\* Repeat, Once, tombstones: asks the store to remove the record that has this token, if nobody has
\* answered it. This never grants. The old way: claims again, to learn the fence, and releases.
Withdraw(c) ==
  /\ pc[c] = "withdrawing"
  /\ ~\E m \in net : m.call = c /\ m.type \in {"withdraw", "claim to withdraw"}
  /\ Withdrawal = "ClaimAndRelease" => ~\E m \in net : m.call = c /\ m.type = "release"
  /\ net' = net \cup
       {IF Withdrawal = "ClaimAndRelease"
        THEN Message("claim to withdraw", c, 0, "")
        ELSE Message("withdraw", c, 0, IF LastTime(c) THEN "last" ELSE "")}
  /\ UNCHANGED <<pc, fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* The store has withdrawn for the last time: the node forgets the call. The old way has learnt
\* that the key is another's, or the fence to release.
Withdrawn(c) ==
  /\ pc[c] = "withdrawing"
  /\ \E m \in net :
       /\ m.call = c /\ m.type = "reply"
       /\ IF m.note = "granted"
          THEN GoTo(c, "withdrawing", {Message("release", c, m.fence, "")})
          ELSE GoTo(c, "ended", {})
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

-----------------------------------------------------------------------------
\* THE STORE. Each step is atomic.

\* Every write also says what the replica has: with failovers, it is one write behind or up to date.
Write(r) ==
  /\ rec' = r
  /\ replica' = IF Failovers = 0 THEN replica ELSE rec

NextFence == IF Mutant = "FENCE_STARTS_AGAIN" THEN rec.fence + 1 ELSE lastFence + 1

Grant(m) ==
  /\ Write([state |-> "processing", token |-> m.call, fence |-> NextFence, end |-> now + Lease,
            answer |-> 0])
  /\ lastFence' = IF NextFence > lastFence THEN NextFence ELSE lastFence
  /\ lease' = [lease EXCEPT ![m.call] = now + Lease]
  /\ Reply(m, NextFence, "granted")

LeaseOver == rec.end <= now \/ Mutant = "LEASE_JUDGED_BY_NODE_CLOCK"

MayBeGranted(m) ==
  \/ rec.state = "absent"
  \/ rec.state = "processing" /\ rec.token # m.call /\ LeaseOver /\ RunAgain
     /\ m.type # "claim to withdraw"

\* A claim arrives. Absent: granted. Processing with this token: the reply was lost; granted again
\* with the same fence. Processing: busy; after the lease, taken over or abandoned. Done: replay.
ClaimArrives ==
  \E m \in net :
    /\ m.type \in Asks \ {"claim, write"}
    /\ IF m.call \in tombs
       THEN Reply(m, 0, "withdrawn") /\ UNCHANGED <<rec, replica, lastFence, lease>>
       ELSE IF MayBeGranted(m)
       THEN IF Mutant = "CLAIM_AS_READ_THEN_WRITE"
            THEN /\ net' = (net \ {m}) \cup {Message("claim, write", m.call, 0, "")}
                 /\ UNCHANGED <<rec, replica, lastFence, lease>>
            ELSE Grant(m)
       ELSE /\ UNCHANGED <<rec, replica, lastFence, lease>>
            /\ IF rec.state = "done" THEN Reply(m, rec.answer, "finished")
               ELSE IF rec.token = m.call THEN Reply(m, rec.fence, "granted")
               ELSE Reply(m, 0, IF LeaseOver THEN "abandoned" ELSE "busy")
    /\ UNCHANGED <<tombs, recorded, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* Only in a store with that mistake: the second half of a claim, which looks no more.
ClaimIsWritten ==
  \E m \in net :
    /\ m.type = "claim, write"
    /\ Grant(m)
    /\ UNCHANGED <<tombs, recorded, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* An answer arrives. It is recorded if its fence is the record's; true also if it was already.
CompleteArrives ==
  \E m \in net :
    /\ m.type = "complete"
    /\ IF \/ rec.state = "processing" /\ rec.fence = m.fence
          \/ rec.state # "absent" /\ Mutant = "NO_FENCE_ON_COMPLETE"
       THEN /\ Write([rec EXCEPT !.state = "done", !.answer = m.fence, !.end = 0])
            /\ lease' = [lease EXCEPT ![rec.token] = 0]
            /\ recorded' = recorded \cup {<<forgets, m.fence>>}
            /\ Reply(m, m.fence, "true")
       ELSE /\ Reply(m, m.fence,
                     IF rec.state = "done" /\ rec.fence = m.fence THEN "true" ELSE "false")
            /\ UNCHANGED <<rec, replica, lease, recorded>>
    /\ UNCHANGED <<lastFence, tombs, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* A release arrives. The record goes if it is processing and has this fence.
ReleaseArrives ==
  \E m \in net :
    /\ m.type = "release"
    /\ Reply(m, 0, "released")
    /\ IF rec.state = "processing" /\ (rec.fence = m.fence \/ Mutant = "RELEASE_WITHOUT_FENCE")
       THEN /\ Write(Absent)
            /\ lease' = IF rec.fence = m.fence THEN [lease EXCEPT ![rec.token] = 0] ELSE lease
       ELSE UNCHANGED <<rec, replica, lease>>
    /\ UNCHANGED <<lastFence, tombs, recorded, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* A renewal arrives: the lease ends later, if the fence is the record's.
RenewArrives ==
  \E m \in net :
    /\ m.type = "renew"
    /\ net' = net \ {m}
    /\ IF rec.state = "processing" /\ rec.fence = m.fence
       THEN /\ Write([rec EXCEPT !.end = now + Lease])
            /\ lease' = [lease EXCEPT ![rec.token] = now + Lease]
       ELSE UNCHANGED <<rec, replica, lease>>
    /\ UNCHANGED <<lastFence, tombs, recorded, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* A withdrawal arrives. The record goes if it is processing and has this token.
WithdrawArrives(c) ==
  \E m \in net :
    /\ m.type = "withdraw" /\ m.call = c
    /\ Reply(m, 0, m.note)
    /\ IF rec.state = "processing" /\ (rec.token = c \/ Mutant = "WITHDRAW_WITHOUT_TOKEN")
       THEN /\ Write(Absent)
            /\ lease' = IF rec.token = c THEN [lease EXCEPT ![c] = 0] ELSE lease
       ELSE UNCHANGED <<rec, replica, lease>>
    /\ tombs' = IF Withdrawal \in {"ShortTombstone", "LongTombstone"}
                THEN tombs \cup {c} ELSE tombs
    /\ UNCHANGED <<lastFence, recorded, pc, fence, got, doubt, ran>> /\ unchangedWorld

\* A tombstone's time is over. A long one outlives every message, a short one does not.
TombstoneEnds ==
  \E c \in tombs :
    /\ Withdrawal = "LongTombstone" => ~ClaimUnderWay(c)
    /\ tombs' = tombs \ {c}
    /\ UNCHANGED <<rec, lastFence, replica, net, pc, fence, got, doubt, lease, ran, recorded>>
    /\ unchangedWorld

\* The store's clock ticks. A node that is paused meanwhile takes no step: that is all a pause is.
Tick ==
  /\ now < LastTick
  /\ now' = now + 1
  /\ lease' = [c \in Calls |-> IF lease[c] <= now + 1 THEN 0 ELSE lease[c]]
  /\ UNCHANGED <<rec, lastFence, tombs, replica, net, pc, fence, got, doubt, lost, failed, forgets,
                 floor, ran, recorded>>

\* A person releases the key, or its retention is over: it is a new operation from here on.
Forget ==
  /\ forgets < Forgets /\ rec.state # "absent"
  /\ forgets' = forgets + 1
  /\ floor' = lastFence
  /\ Write(Absent)
  /\ lease' = [lease EXCEPT ![rec.token] = 0]
  /\ ran' = {}
  /\ UNCHANGED <<now, lastFence, tombs, net, pc, fence, got, doubt, lost, failed, recorded>>

-----------------------------------------------------------------------------
\* WHAT GOES WRONG

\* A node dies. What it has sent is still under way.
Crash(c) ==
  /\ pc[c] \notin {"new", "ended", "unknown", "crashed"}
  /\ GoTo(c, "crashed", {})
  /\ UNCHANGED <<fence, got, doubt, ran>> /\ unchangedStore /\ unchangedWorld

\* A message is lost. Any other is as good as lost if it is never delivered; for these two it
\* matters to know that they will not come any more.
Lose ==
  \E m \in net :
    /\ m.type \in Asks \/ (m.type = "withdraw" /\ lost < Losses)
    /\ lost' = IF m.type = "withdraw" THEN lost + 1 ELSE lost
    /\ net' = net \ {m}
    /\ UNCHANGED <<rec, now, lastFence, tombs, replica, pc, fence, got, doubt, failed, forgets,
                   floor, lease, ran, recorded>>

\* The replica catches up.
Replicate ==
  /\ Failovers > 0 /\ replica # rec
  /\ replica' = rec
  /\ UNCHANGED <<rec, now, lastFence, tombs, net, pc, fence, got, doubt, lost, failed, forgets,
                 floor, lease, ran, recorded>>

\* The server is lost, and its replica takes its place without the last write, and without the
\* tombstones, which are writes too.
Failover ==
  /\ failed < Failovers
  /\ failed' = failed + 1
  /\ rec' = replica
  /\ tombs' = {}
  /\ UNCHANGED <<now, lastFence, replica, net, pc, fence, got, doubt, lost, forgets, floor, lease,
                 ran, recorded>>

-----------------------------------------------------------------------------
OfACall(c) ==
  \/ Claim(c) \/ AskAgain(c) \/ GiveUp(c) \/ Run(c) \/ Replay(c) \/ Refuse(c) \/ Renew(c)
  \/ Complete(c) \/ Completed(c) \/ GiveUpRecording(c) \/ Release(c) \/ Released(c)
  \/ Withdraw(c) \/ Withdrawn(c) \/ Crash(c)

OfTheStore ==
  \/ ClaimArrives \/ ClaimIsWritten \/ CompleteArrives \/ ReleaseArrives \/ RenewArrives
  \/ (\E c \in Calls : WithdrawArrives(c)) \/ TombstoneEnds \/ Tick \/ Forget

OfTheWorld == Lose \/ Replicate \/ Failover

Next == (\E c \in Calls : OfACall(c)) \/ OfTheStore \/ OfTheWorld

Spec == Init /\ [][Next]_vars

\* Calls are alike: what is true of one order of names is true of all.
AnyOrder == Permutations(Calls)

-----------------------------------------------------------------------------
\* WHAT MUST HOLD

\* One answer is recorded for the key, until it is forgotten.
OneAnswer == \A one, other \in recorded : one[1] = other[1] => one[2] = other[2]

\* What is recorded is the answer of the highest fence ever granted: no late owner recorded.
NoLateOwner == rec.state = "done" => rec.answer = rec.fence /\ rec.fence = lastFence

\* No two calls have the right to run at once, by the store's clock.
OneLiveLease == Cardinality({c \in Calls : lease[c] > 0}) <= 1

\* Where a crash means "outcome unknown", nothing runs twice, unless the first run released the key.
RunByRight == ~RunAgain => Cardinality(ran) <= 1

\* No two grants have the same fence.
FencesGrow == \A one, other \in Calls : fence[one] = fence[other] /\ fence[one] > 0 => one = other

\* An answer that a client was given is one that was recorded.
GivenIsRecorded == \A c \in Calls : got[c] > 0 => \E pair \in recorded : pair[2] = got[c]

\* A grant is run, or will be withdrawn, or its node is dead. There is none that nobody knows of.
\* (A call that could not record does not withdraw; its client knows that the outcome is unknown.)
Nobodys == rec.state = "processing" /\ pc[rec.token] = "ended" /\ fence[rec.token] # rec.fence
NoClaimOfNobody == ~Nobodys

\* Liveness: a claim that nobody runs is free again, unless its node dies.
HeldByDoubt(c) ==
  /\ rec.state = "processing" /\ rec.token = c /\ fence[c] # rec.fence
  /\ pc[c] \in {"withdrawing", "ended"}
FreeAgain == \A c \in Calls : HeldByDoubt(c) ~> (~HeldByDoubt(c))

\* A node that lives withdraws; what is sent and not lost arrives in the end.
Fair ==
  /\ Spec
  /\ \A c \in Calls : WF_vars(Withdraw(c)) /\ WF_vars(WithdrawArrives(c)) /\ WF_vars(Withdrawn(c))
=============================================================================
