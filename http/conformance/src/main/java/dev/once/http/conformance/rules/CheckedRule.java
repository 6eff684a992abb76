package dev.once.http.conformance.rules;

import dev.once.http.conformance.report.Level;
import dev.once.http.conformance.report.Rule;
import dev.once.http.conformance.wire.NoAnswerException;

/** A rule and how to check it. */
record CheckedRule(Rule rule, Check check) {

  /** Checks one rule against the server of a session. */
  interface Check {
    Finding check(Session session) throws NoAnswerException, NotProcessedException;
  }

  static CheckedRule must(String id, String section, String title, Check check) {
    return new CheckedRule(new Rule(id, section, Level.MUST, title), check);
  }

  static CheckedRule should(String id, String section, String title, Check check) {
    return new CheckedRule(new Rule(id, section, Level.SHOULD, title), check);
  }

  static CheckedRule additional(String id, String title, Check check) {
    return new CheckedRule(new Rule(id, "", Level.BEYOND, title), check);
  }
}
