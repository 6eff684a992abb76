package dev.once.http.surfaces;

import dev.once.http.surfaces.Client.Answer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What became of a case, in a few words each.
 *
 * @param client what the client sees
 * @param holds what the store holds then
 * @param retry what the same request gets, sent again
 * @param afterLease what it gets when the lease is over; {@link #NONE} if there is none by then
 * @param runs how often the handler did its work in all
 */
record Outcome(String client, String holds, String retry, String afterLease, int runs) {

  static final String NONE = "–";

  private static final Pattern TYPE = Pattern.compile("\"type\":\"[^\"]*#([a-z-]+)\"");

  /** An answer: its status, the problem if it is one, and whether it is replayed and whole. */
  static String of(Answer answer) {
    if (answer.status() == 0) {
      return "nothing: cut off";
    }
    Matcher problem = TYPE.matcher(answer.body());
    boolean isProblem =
        "application/problem+json".equals(answer.fields().get("Content-Type")) && problem.find();
    String text = String.valueOf(answer.status());
    if (isProblem) {
      text += " " + problem.group(1);
    }
    if (answer.fields().containsKey("Idempotent-Replayed")) {
      text += " replayed";
    }
    if (answer.body().startsWith("{\"replayed\":true")) {
      text += ", not kept";
    } else if (!isProblem && answer.status() < 500 && !answer.body().startsWith(Script.DONE)) {
      text += ", not the handler's body";
    }
    if (isProblem && answer.body().contains(Script.DONE)) {
      text += ", with the handler's answer in it";
    }
    return answer.whole() ? text : text + ", cut off";
  }
}
